"""What was submitted from this machine, beside the configuration: nothing is sent twice by accident.

In: a site, the fields of a submission, and the SHA-256 of its bytes. Out: a record with an idempotency key,
the address of an upload that was begun, and the receipt of one that was completed.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from .configuration import Site, folder, read_document, write_private

MAX_RECORDS = 1000
"""The oldest are dropped first."""


@dataclass(frozen=True, kw_only=True)
class Record:
    key: str
    """Of the request that creates the upload."""
    upload: str = ""
    receipt: str = ""


def fingerprint(site: Site, fields: Mapping[str, str], sha256: str) -> str:
    """The same submission: the same bytes to the same place. A note does not make it another one."""
    place = {name: value for name, value in fields.items() if name not in ("note", "filename")}
    text = json.dumps([site.url, sorted(place.items()), sha256])
    return hashlib.sha256(text.encode()).hexdigest()


def find(print_of: str) -> Record | None:
    values = read_document(records_file()).get(print_of)
    return Record(**values) if values else None


def begin(print_of: str) -> Record:
    record = Record(key=new_key())
    remember(print_of, record)
    return record


def new_key() -> str:
    return secrets.token_urlsafe(24)


def remember(print_of: str, record: Record) -> None:
    records = read_document(records_file())
    records.pop(print_of, None)
    records[print_of] = asdict(record)
    write_private(records_file(), dict(list(records.items())[-MAX_RECORDS:]))


def records_file() -> Path:
    return folder() / "submissions.json"


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
