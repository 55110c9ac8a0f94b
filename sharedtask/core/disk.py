"""Stored files on the local disk, under `DATA_DIR/files`: for the embedded profile, or a single server.

A file is written under `incoming/`, flushed to the disk, and only then renamed to its own name; a rename is
durable when the folder that names the file has been flushed too.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from sharedtask.core import storage

PARALLEL_FLUSHES = 8


class Disk:
    is_local = True

    def commit(self, file: Path, name: str) -> None:
        destination = storage.path_of(name)
        destination.parent.mkdir(parents=True, exist_ok=True)
        os.replace(file, destination)
        flush_folders(destination.parent)

    def commit_folder(self, folder: Path, name: str) -> None:
        # In parallel, so that the file system writes its journal once for all and not once for each.
        with ThreadPoolExecutor(PARALLEL_FLUSHES) as pool:
            list(pool.map(flush, folder.iterdir()))
        destination = storage.path_of(name)
        if not rename_folder(folder, destination):
            # There are other files, or the same ones by a worker that lost its lease. Each is replaced by
            # itself, so that it exists at every moment for processes that read it.
            for file in folder.iterdir():
                os.replace(file, destination / file.name)
        flush_folders(destination)

    def open(self, name: str) -> BinaryIO:
        return storage.path_of(name).open("rb")

    def read_part(self, name: str, begin: int, end: int) -> bytes:
        with self.open(name) as stream:
            stream.seek(begin)
            return stream.read(end - begin)

    @contextmanager
    def local_copy(self, name: str) -> Iterator[Path]:
        yield storage.path_of(name)

    def remove(self, name: str) -> None:
        path = storage.path_of(name)
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)

    def entries(self, kind: str) -> Iterator[storage.StoredEntry]:
        folder = storage.path_of(kind)
        for path in folder.iterdir() if folder.is_dir() else ():
            try:
                status = path.stat()
            except FileNotFoundError:
                continue
            yield storage.StoredEntry(
                name=f"{kind}/{path.name}",
                modified_at=datetime.fromtimestamp(status.st_mtime, UTC),
                size=status.st_size,
            )


def rename_folder(folder: Path, destination: Path) -> bool:
    """False if the destination exists already, or another process creates it at this moment."""
    if destination.is_dir():
        return False
    destination.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.replace(folder, destination)
    except OSError:
        if not destination.is_dir():
            raise
        return False
    return True


def flush_folders(folder: Path) -> None:
    """From this folder up to the root."""
    top = storage.root().resolve()
    folder = folder.resolve()
    while folder == top or top in folder.parents:
        flush(folder)
        folder = folder.parent


def flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
