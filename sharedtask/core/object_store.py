"""Stored files in S3-compatible storage, through django-storages: web and workers share no disk.

Two places with credentials of their own (`STORAGES["files"]` and `STORAGES["sealed"]`): the web process can
put a sealed gold file and may not get one; workers may do both. An upload is answered by the store only when
it is durable there, which is before its receipt is written.
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
SENDING = 8
"""Files that are sent at the same time: an object store answers slowly, but many at once."""


class RefusedByStorage(ServerFailure):
    """The object store refused these credentials: nobody but a worker may fetch what is sealed."""


class ObjectStore:
    def keep(self, file: Path, name: str) -> None:
        with file.open("rb") as stream, refusals(name):
            place_of(name).save(name, File(stream))
        file.unlink()

    def keep_folder(self, folder: Path, name: str) -> None:
        """Several at a time: rows that name them are written only after the last one is there."""
        with ThreadPoolExecutor(SENDING) as pool:
            list(pool.map(lambda file: self.keep(file, f"{name}/{file.name}"), sorted(folder.iterdir())))

    def open(self, name: str) -> BinaryIO:
        # What is small stays in memory, the rest goes to a temporary file.
        stream = tempfile.SpooledTemporaryFile(IN_MEMORY, dir=str(storage.scratch()))  # noqa: SIM115
        copy_into(cast(BinaryIO, stream), name)
        stream.seek(0)
        return cast(BinaryIO, stream)

    def read_part(self, name: str, begin: int, end: int) -> bytes:
        with refusals(name):
            # HTTP counts the last byte in.
            return cast(bytes, body_of(name, Range=f"bytes={begin}-{end - 1}").read())

    @contextmanager
    def fetched(self, name: str) -> Iterator[Path]:
        with tempfile.NamedTemporaryFile(dir=storage.scratch()) as copy:
            copy_into(cast(BinaryIO, copy), name)
            copy.flush()
            yield Path(copy.name)

    def remove(self, name: str) -> None:
        if name.startswith(f"{storage.INCOMING}/"):
            Disk().remove(name)
            return
        place = place_of(name)
        with refusals(name):
            place.delete(name)
            for item in place.bucket.objects.filter(Prefix=f"{name}/"):
                item.delete()

    def entries(self, kind: str) -> Iterator[storage.Entry]:
        if kind == storage.INCOMING:
            # What is not finished lies on the disk of the machine that is at it.
            yield from Disk().entries(kind)
            return
        with refusals(kind):
            for item in place_of(kind).bucket.objects.filter(Prefix=f"{kind}/"):
                yield storage.Entry(name=item.key, modified_at=item.last_modified)


def place_of(name: str) -> Any:
    """The place for a kind of file, which the first part of its name tells."""
    kind = name.split("/", 1)[0]
    return storages["sealed" if kind in storage.SEALED_KINDS else "files"]


def copy_into(stream: BinaryIO, name: str) -> None:
    with refusals(name):
        shutil.copyfileobj(body_of(name), stream, CHUNK)


def body_of(name: str, **asked: str) -> Any:
    """In one request: the library's own way asks twice about a file before it asks for it."""
    return place_of(name).bucket.Object(name).get(**asked)["Body"]


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
