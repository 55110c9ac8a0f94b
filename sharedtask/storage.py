"""Files on disk under `DATA_DIR/files`, named by short relative names that the database keeps.

A stored file is complete or absent: it is written under `incoming/`, flushed to the disk, and only then
renamed to its own name. Six kinds exist: `uploads/` (archives as received), `outputs/` (their files),
`inputs/` (what participants are given), `gold/` and `counts/` (sealed: only workers can open them), and
`public/` (released gold).
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from django.conf import settings

INCOMING = "incoming"


class Incoming:
    """A file on its way in: hashed and counted while it is written, gone unless it is kept."""

    def __init__(self) -> None:
        folder = root() / INCOMING
        folder.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=folder)
        self._path = Path(name)
        self._file = os.fdopen(descriptor, "wb")
        self._hash = hashlib.sha256()
        self.size = 0

    def write(self, chunk: bytes) -> None:
        self._file.write(chunk)
        self._hash.update(chunk)
        self.size += len(chunk)

    @property
    def sha256(self) -> str:
        return self._hash.hexdigest()

    def keep(self, name: str) -> None:
        """Make the file durable under this name, replacing what is there."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        destination = path_of(name)
        destination.parent.mkdir(parents=True, exist_ok=True)
        os.replace(self._path, destination)
        flush_folders(destination.parent)

    def discard(self) -> None:
        """Leave nothing behind. Harmless after `keep` and when called twice."""
        self._file.close()
        self._path.unlink(missing_ok=True)


def root() -> Path:
    return Path(settings.DATA_DIR) / "files"


def path_of(name: str) -> Path:
    """Where a stored name lies; names come from the database, and even so may not leave the root."""
    parts = PurePosixPath(name).parts
    if not parts or name.startswith("/") or ".." in parts:
        raise ValueError(f"not a storage name: {name!r}")
    return root().joinpath(*parts)


def store(name: str, chunks: Iterable[bytes]) -> str:
    """Write a whole file durably and return its SHA-256."""
    incoming = Incoming()
    try:
        for chunk in chunks:
            incoming.write(chunk)
        incoming.keep(name)
    finally:
        incoming.discard()
    return incoming.sha256


def new_folder() -> Path:
    """A temporary folder inside the root, so that it can be renamed into its place."""
    parent = root() / INCOMING
    parent.mkdir(parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(dir=parent))


def keep_folder(folder: Path, name: str) -> None:
    """Make a folder of finished files durable under this name, replacing what a lost worker left there."""
    for file in folder.iterdir():
        with file.open("rb") as stream:
            os.fsync(stream.fileno())
    flush_folders(folder)
    destination = path_of(name)
    destination.parent.mkdir(parents=True, exist_ok=True)
    if destination.exists():
        shutil.rmtree(destination)
    os.replace(folder, destination)
    flush_folders(destination.parent)


def remove(name: str) -> None:
    path = path_of(name)
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def flush_folders(folder: Path) -> None:
    """A rename is durable only when the folder that names the file is flushed too, up to the root."""
    top = root().resolve()
    folder = folder.resolve()
    while folder == top or top in folder.parents:
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        folder = folder.parent
