"""The files of a backup: all that rows of the database name, as one tar stream; and back; and whether all are
there.

In: the database and the store. Out: bytes of a tar archive, for `deploy/backup.sh`, which takes it after the
database's own dump: a file is stored before its row is written and is not removed while the row is there, so
that every row of the dump finds its file in the archive. Run it as a worker: the web side may not read gold.
"""

from __future__ import annotations

import hashlib
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any

from django.apps import apps
from django.db.models import Model

from sharedtask.core import storage

# Every field that holds a name in storage, and the field beside it that holds the file's SHA-256, if any.
NAMES = {
    "competition.InputFile.stored": "sha256",
    "competition.GoldVersion.sealed": "",
    "competition.GoldVersion.public_copy": "sha256",
    "submissions.Run.archive": "sha256",
    "submissions.RunFile.output": "sha256",
    "submissions.Score.units": "",
}
# The work of an import or export under way is not kept: whoever asked for it asks again. Packages are written
# anew from what is kept.
PASSING = frozenset({"folders.FolderJob.stored", "archive.Package.stored"})


@dataclass(frozen=True, kw_only=True)
class Named:
    name: str
    sha256: str
    """Empty where it is not known, as of what is sealed."""


def named_files() -> Iterator[Named]:
    """What rows name, each file once: an amended run names files of the run before."""
    seen: set[str] = set()
    for label, hash_field in NAMES.items():
        app, model_name, field = label.split(".")
        model: type[Model] = apps.get_model(app, model_name)
        fields = [field, hash_field] if hash_field else [field]
        rows: Any = model._default_manager.exclude(**{field: ""}).order_by("pk").values_list(*fields)
        for name, *hashes in rows.iterator():
            if name not in seen:
                seen.add(name)
                yield Named(name=name, sha256=hashes[0] if hashes else "")


def export_files(stream: IO[bytes]) -> list[str]:
    """Write all files; gives the names of those that were not there."""
    absent = []
    with tarfile.open(fileobj=stream, mode="w|") as archive:
        for file in named_files():
            try:
                with storage.local_copy(file.name) as path:
                    archive.add(path, arcname=file.name, recursive=False)
            except FileNotFoundError:
                absent.append(file.name)
    return absent


def import_files(stream: IO[bytes]) -> int:
    """Put all files of an archive into the store, under their names; gives their number."""
    number = 0
    with tarfile.open(fileobj=stream, mode="r|") as archive:
        for member in archive:
            content = archive.extractfile(member)
            if content is not None:
                storage.store(member.name, iter(lambda: content.read(1024 * 1024), b""))  # noqa: B023
                number += 1
    return number


def check_files() -> Iterator[str]:
    """A sentence for every row without its file, and for every file that is not what its row says."""
    for file in named_files():
        try:
            with storage.open_stream(file.name) as stream:
                found = hashlib.sha256()
                while chunk := stream.read(1024 * 1024):
                    found.update(chunk)
        except FileNotFoundError:
            yield f"{file.name} is missing"
            continue
        if file.sha256 and found.hexdigest() != file.sha256:
            yield f"{file.name} is not what its row says: SHA-256 {found.hexdigest()}"
