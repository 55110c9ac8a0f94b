"""Export, import and check all stored files that rows of the database refer to.

In: the database and the storage. Out: a tar archive, for `deploy/backup.sh`, which calls this after dumping
the database: a file is stored before its row is written and not removed while the row exists, so every row
of the dump has its file in the archive. Run it as a worker, because the web process may not read gold.
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

# Every field with a name in storage, and the field with the SHA-256 of the file, if any.
NAMES = {
    "competition.InputFile.stored": "sha256",
    "competition.GoldVersion.sealed": "",
    "competition.GoldVersion.public_copy": "sha256",
    "competition.GoldReference.sealed": "",
    "competition.GoldReference.public_copy": "sha256",
    "submissions.Run.archive": "sha256",
    "submissions.RunFile.output": "sha256",
    "submissions.Score.units": "",
    "software.StoredImage.stored": "sha256",
    "software.StoredImage.upload": "",
    "scorers.ScorerVersion.stored": "sha256",
    "scorers.ScorerVersion.upload": "",
}
# Not backed up: imports and exports in progress can be requested again, packages are written again, and
# unfinished uploads are sent again.
TEMPORARY = frozenset({"folders.FolderJob.stored", "archive.Package.stored", "uploads.Part.stored"})


@dataclass(frozen=True, kw_only=True)
class StoredFile:
    name: str
    sha256: str
    """Empty if unknown, as for sealed files."""


def referenced_files() -> Iterator[StoredFile]:
    """Each file once: an amended run refers to files of the earlier run."""
    names: set[str] = set()
    for label, hash_field in NAMES.items():
        app, model_name, field = label.split(".")
        model: type[Model] = apps.get_model(app, model_name)
        fields = [field, hash_field] if hash_field else [field]
        rows: Any = model._default_manager.exclude(**{field: ""}).order_by("pk").values_list(*fields)
        for name, *hashes in rows.iterator():
            if name not in names:
                names.add(name)
                yield StoredFile(name=name, sha256=hashes[0] if hashes else "")


def export_files(stream: IO[bytes]) -> list[str]:
    """Write all files. Out: the names of missing ones."""
    missing = []
    with tarfile.open(fileobj=stream, mode="w|") as archive:
        for file in referenced_files():
            try:
                with storage.local_copy(file.name) as path:
                    archive.add(path, arcname=file.name, recursive=False)
            except FileNotFoundError:
                missing.append(file.name)
    return missing


def import_files(stream: IO[bytes]) -> int:
    """Store all files of an archive under their names. Out: their number."""
    number = 0
    with tarfile.open(fileobj=stream, mode="r|") as archive:
        for member in archive:
            content = archive.extractfile(member)
            if content is not None:
                storage.store(member.name, iter(lambda: content.read(1024 * 1024), b""))  # noqa: B023
                number += 1
    return number


def check_files() -> Iterator[str]:
    """A message for every missing file, and for every file with another SHA-256 than its row has."""
    for file in referenced_files():
        try:
            with storage.open_stream(file.name) as stream:
                digest = hashlib.sha256()
                while chunk := stream.read(1024 * 1024):
                    digest.update(chunk)
        except FileNotFoundError:
            yield f"{file.name} is missing"
            continue
        if file.sha256 and digest.hexdigest() != file.sha256:
            yield f"{file.name} has changed: found SHA-256 {digest.hexdigest()}, expected {file.sha256}"
