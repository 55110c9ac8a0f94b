"""Stored files in S3-compatible storage, through django-storages: web and workers share no disk.

Two buckets, each with its own credentials (`STORAGES["files"]` and `STORAGES["sealed"]`): the web process may
write sealed gold files but not read them; workers may do both. The store confirms an upload only when it is
durable, which is before the receipt is written.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from botocore.exceptions import ClientError  # type: ignore[import-untyped]
from django.core.files import File
from django.core.files.storage import storages

from sharedtask.core import storage
from sharedtask.core.disk import Disk
from sharedtask.core.errors import ServerFailure

CHUNK = 1024 * 1024
IN_MEMORY = 1024 * 1024
PARALLEL_UPLOADS = 8
"""Files that are sent at the same time: an object store answers slowly, but many requests at once."""


class RefusedByStorage(ServerFailure):
    """The object store refused these credentials: only workers may read sealed files."""


class ObjectStore:
    is_local = False

    def commit(self, file: Path, name: str) -> None:
        with file.open("rb") as stream, refusals(name):
            backend_of(name).save(name, File(stream))
        file.unlink()

    def commit_folder(self, folder: Path, name: str) -> None:
        """Several at a time. Rows that name them are written only after all have been stored."""
        with ThreadPoolExecutor(PARALLEL_UPLOADS) as pool:
            list(pool.map(lambda file: self.commit(file, f"{name}/{file.name}"), sorted(folder.iterdir())))

    def open(self, name: str) -> BinaryIO:
        # Small files stay in memory, others go to a temporary file.
        stream = tempfile.SpooledTemporaryFile(IN_MEMORY, dir=str(storage.incoming_folder()))  # noqa: SIM115
        copy_into(cast(BinaryIO, stream), name)
        stream.seek(0)
        return cast(BinaryIO, stream)

    def read_part(self, name: str, begin: int, end: int) -> bytes:
        with refusals(name):
            # In HTTP, the range includes its last byte.
            return cast(bytes, body_of(name, Range=f"bytes={begin}-{end - 1}").read())

    @contextmanager
    def local_copy(self, name: str) -> Iterator[Path]:
        with tempfile.NamedTemporaryFile(dir=storage.incoming_folder()) as copy:
            copy_into(cast(BinaryIO, copy), name)
            copy.flush()
            yield Path(copy.name)

    def remove(self, name: str) -> None:
        if name.startswith(f"{storage.INCOMING}/"):
            Disk().remove(name)
            return
        backend = backend_of(name)
        with refusals(name):
            backend.delete(name)
            for item in backend.bucket.objects.filter(Prefix=f"{name}/"):
                item.delete()

    def entries(self, kind: str) -> Iterator[storage.StoredEntry]:
        if kind == storage.INCOMING:
            # Unfinished files are on the disk of the machine that writes them.
            yield from Disk().entries(kind)
            return
        with refusals(kind):
            for item in backend_of(kind).bucket.objects.filter(Prefix=f"{kind}/"):
                yield storage.StoredEntry(name=item.key, modified_at=item.last_modified, size=item.size)


def backend_of(name: str) -> Any:
    """The bucket for a kind of file, which is the first part of its name."""
    kind = name.split("/", 1)[0]
    return storages["sealed" if kind in storage.SEALED_KINDS else "files"]


def copy_into(stream: BinaryIO, name: str) -> None:
    with refusals(name):
        shutil.copyfileobj(body_of(name), stream, CHUNK)


def body_of(name: str, **options: str) -> Any:
    """In one request: the library's own method sends two more before it reads a file."""
    return backend_of(name).bucket.Object(name).get(**options)["Body"]


@contextmanager
def refusals(name: str) -> Iterator[None]:
    try:
        yield
    except ClientError as error:
        code = error.response.get("Error", {}).get("Code", "")
        if code in ("NoSuchKey", "404"):
            raise FileNotFoundError(f"{name} is not in storage") from error
        if code in ("AccessDenied", "403", "InvalidAccessKeyId", "SignatureDoesNotMatch"):
            raise RefusedByStorage(f"the object store refused {name} to this process ({code})") from error
        raise
