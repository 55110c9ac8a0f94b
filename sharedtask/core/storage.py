"""Stored files behind one interface: bytes under short names, which the database has.

`settings.FILE_STORAGE` says where they are: on the local disk (`disk.py`), or in S3-compatible storage that
web and workers on several machines share (`object_store.py`). A stored file is complete or absent, and
durable before its name is used anywhere. There are ten kinds: `partial/` (parts of resumable uploads),
`uploads/` (archives as received), `outputs/` (their files), `images/` (of software), `inputs/` (for
participants), `gold/`, `counts/` and `progress/` (sealed: only workers can decrypt them, and in object
storage only workers may read them), `public/` (released gold), and `folders/` (task folders during import or
export, sealed for the workers or for one browser).
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
from typing import BinaryIO, ClassVar, Protocol

from django.conf import settings
from django.utils.module_loading import import_string

INCOMING = "incoming"
SEALED_KINDS = frozenset({"gold", "counts", "progress"})
PARALLEL_READS = 4
"""Files that are read ahead while a worker processes one: object storage answers slowly."""


@dataclass(frozen=True, kw_only=True)
class StoredEntry:
    name: str
    modified_at: datetime
    size: int


class Files(Protocol):
    """A backend for files. Names are checked before they are passed to it."""

    is_local: ClassVar[bool]
    """Whether the files are on the disk of this machine."""

    def commit(self, file: Path, name: str) -> None:
        """Take over a finished file, durably, replacing the one with this name."""

    def commit_folder(self, folder: Path, name: str) -> None:
        """Take over all files of a flat folder, durably, in addition to existing ones."""

    def open(self, name: str) -> BinaryIO:
        """A stream to read from; FileNotFoundError if there is no such file."""

    def read_part(self, name: str, begin: int, end: int) -> bytes:
        """The bytes from `begin` up to `end`, without reading others; fewer if the file is shorter."""

    def local_copy(self, name: str) -> AbstractContextManager[Path]:
        """The file on the local disk, for the duration of the context."""

    def remove(self, name: str) -> None:
        """A file, or a folder with its contents; no error if it does not exist."""

    def entries(self, kind: str) -> Iterator[StoredEntry]:
        """The entries directly under a kind."""


class Incoming:
    """A file that is being received, hashed and counted; removed unless it is committed."""

    def __init__(self) -> None:
        descriptor, name = tempfile.mkstemp(dir=incoming_folder())
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

    def commit(self, name: str) -> None:
        """Make the file durable under this name, replacing an existing one."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        files().commit(self._path, checked(name))

    def discard(self) -> None:
        """Remove it. No effect after `commit`, or when called twice."""
        # Closing fails if the disk is full, but the file is removed anyway.
        with suppress(OSError):
            self._file.close()
        self._path.unlink(missing_ok=True)


def files() -> Files:
    """According to the settings at the time of the call, so that a test can change them."""
    backend: type[Files] = import_string(settings.FILE_STORAGE)
    return backend()


def is_on_this_disk() -> bool:
    """Whether stored files take space on the disk of this machine."""
    return files().is_local


def root() -> Path:
    return Path(settings.DATA_DIR) / "files"


def incoming_folder() -> Path:
    """The folder for unfinished files; on the same file system as stored files, if those are on a disk."""
    folder = root() / INCOMING
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def checked(name: str) -> str:
    """Names come from the database; still, none may lead out of the root."""
    parts = PurePosixPath(name).parts
    if not parts or name.startswith("/") or ".." in parts:
        raise ValueError(f"not a storage name: {name!r}")
    return "/".join(parts)


def store(name: str, chunks: Iterable[bytes]) -> str:
    """Write a file durably and return its SHA-256."""
    incoming = Incoming()
    try:
        for chunk in chunks:
            incoming.write(chunk)
        incoming.commit(name)
    finally:
        incoming.discard()
    return incoming.sha256


def store_all(contents: Mapping[str, bytes]) -> None:
    """Write several small files of one kind; all are durable when it returns."""
    if not contents:
        return
    folder = new_folder()
    try:
        (kind,) = {str(PurePosixPath(name).parent) for name in contents}
        for name, content in contents.items():
            (folder / PurePosixPath(name).name).write_bytes(content)
        commit_folder(folder, kind)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def read(name: str) -> bytes:
    with files().open(checked(name)) as stream:
        return stream.read()


def read_part(name: str, begin: int, end: int) -> bytes:
    """The bytes from `begin` up to `end`; the cost does not depend on the size of the file."""
    return files().read_part(checked(name), begin, end) if begin < end else b""


def open_stream(name: str) -> BinaryIO:
    """For a response that sends it in pieces. The caller closes it."""
    return files().open(checked(name))


def local_copy(name: str) -> AbstractContextManager[Path]:
    """`with storage.local_copy(name) as path:` the file can be read from this path until the block ends."""
    return files().local_copy(checked(name))


@contextmanager
def prefetch(names: Iterable[str]) -> Iterator[list[Callable[[], Path]]]:
    """For each name a function that returns its path, or raises. Files are read ahead in threads."""
    with ExitStack() as copies, ThreadPoolExecutor(PARALLEL_READS) as pool:
        yield [pool.submit(copies.enter_context, local_copy(name)).result for name in names]


def new_folder() -> Path:
    """A temporary folder, to be filled and then committed or removed."""
    return Path(tempfile.mkdtemp(dir=incoming_folder()))


def commit_folder(folder: Path, name: str) -> None:
    """Make a folder of finished files durable under this name, replacing files that a lost worker left."""
    files().commit_folder(folder, checked(name))


def remove(name: str) -> None:
    files().remove(checked(name))


def entries(kind: str) -> Iterator[StoredEntry]:
    return files().entries(checked(kind))


def path_of(name: str) -> Path:
    """The path of a file that is on the local disk; for `disk.py` and tests. Others use `local_copy`."""
    return root() / checked(name)
