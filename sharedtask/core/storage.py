"""Stored files, behind one interface: short names that the database keeps, and bytes.

Where they lie is the profile's business (`settings.FILES_ARE_ON`): on this machine's disk (`disk.py`), or in
S3-compatible storage that web and workers on several machines share (`object_store.py`). A stored file is
complete or absent, and durable before its name is told to anybody. Seven kinds exist: `uploads/` (archives as
received), `outputs/` (their files), `inputs/` (what participants are given), `gold/` and `counts/` (sealed:
only workers can open them, and in object storage only they may fetch them), `public/` (released gold), and
`folders/` (task folders on their way in or out, sealed for the workers or for one browser).
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Protocol

from django.conf import settings
from django.utils.module_loading import import_string

INCOMING = "incoming"
SEALED_KINDS = frozenset({"gold", "counts"})
FETCHING = 4
"""Files that are fetched at the same time while a worker is busy with one: a store answers slowly."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    name: str
    modified_at: datetime


class Files(Protocol):
    """What a place for files can do. Names have been checked before they come here."""

    def keep(self, file: Path, name: str) -> None:
        """Take over a finished file, durably, replacing what has the name."""

    def keep_folder(self, folder: Path, name: str) -> None:
        """Take over all files of a flat folder, durably, beside those that are there already."""

    def open(self, name: str) -> BinaryIO:
        """A stream to read from; FileNotFoundError where there is no such file."""

    def read_part(self, name: str, begin: int, end: int) -> bytes:
        """The bytes from `begin` up to `end`, and no others are fetched; fewer where the file is shorter."""

    def fetched(self, name: str) -> AbstractContextManager[Path]:
        """The file as one on this machine's disk, for as long as the context lasts."""

    def remove(self, name: str) -> None:
        """A file, or a folder with all that is in it; harmless where there is none."""

    def entries(self, kind: str) -> Iterator[Entry]:
        """What lies directly under a kind."""


class Incoming:
    """A file on its way in: hashed and counted while it is written, gone unless it is kept."""

    def __init__(self) -> None:
        descriptor, name = tempfile.mkstemp(dir=scratch())
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
        files().keep(self._path, checked(name))

    def discard(self) -> None:
        """Leave nothing behind. Harmless after `keep` and when called twice."""
        # What could not be written to a full disk is not wanted any more.
        with suppress(OSError):
            self._file.close()
        self._path.unlink(missing_ok=True)


def files() -> Files:
    """Read from the settings each time, so that a test can move the data."""
    place: type[Files] = import_string(settings.FILES_ARE_ON)
    return place()


def root() -> Path:
    return Path(settings.DATA_DIR) / "files"


def scratch() -> Path:
    """Where this machine writes what is not finished; on the same file system as stored files, if any."""
    folder = root() / INCOMING
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def checked(name: str) -> str:
    """Names come from the database, and even so may not leave the root."""
    parts = PurePosixPath(name).parts
    if not parts or name.startswith("/") or ".." in parts:
        raise ValueError(f"not a storage name: {name!r}")
    return "/".join(parts)


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


def store_all(contents: Mapping[str, bytes]) -> None:
    """Write several small files of one kind durably: all of them are there when it returns."""
    if not contents:
        return
    folder = new_folder()
    try:
        (kind,) = {str(PurePosixPath(name).parent) for name in contents}
        for name, content in contents.items():
            (folder / PurePosixPath(name).name).write_bytes(content)
        keep_folder(folder, kind)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def read(name: str) -> bytes:
    with files().open(checked(name)) as stream:
        return stream.read()


def read_part(name: str, begin: int, end: int) -> bytes:
    """The bytes from `begin` up to `end`, whatever the size of the file."""
    return files().read_part(checked(name), begin, end) if begin < end else b""


def open_stream(name: str) -> BinaryIO:
    """For a response that sends it piece by piece; whoever opens it closes it."""
    return files().open(checked(name))


def fetched(name: str) -> AbstractContextManager[Path]:
    """`with storage.fetched(name) as path:` the file can be read from this path until the block ends."""
    return files().fetched(checked(name))


@contextmanager
def fetched_ahead(names: Iterable[str]) -> Iterator[list[Callable[[], Path]]]:
    """For each name a call that waits for its path, or raises; meanwhile the next ones are on their way."""
    with ExitStack() as opened, ThreadPoolExecutor(FETCHING) as pool:
        yield [pool.submit(opened.enter_context, fetched(name)).result for name in names]


def new_folder() -> Path:
    """A temporary folder, to be filled and kept, or removed."""
    return Path(tempfile.mkdtemp(dir=scratch()))


def keep_folder(folder: Path, name: str) -> None:
    """Make a folder of finished files durable under this name, replacing what a lost worker left of them."""
    files().keep_folder(folder, checked(name))


def remove(name: str) -> None:
    files().remove(checked(name))


def entries(kind: str) -> Iterator[Entry]:
    return files().entries(checked(kind))


def path_of(name: str) -> Path:
    """Where a name lies on a disk: for what is on one, and for tests. Anything else uses `fetched`."""
    return root() / checked(name)
