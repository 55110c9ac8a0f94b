"""Take in the zip of a task folder: it has gold in it, and is sealed for the workers on its way to the disk.

In: the chunks of a form, as Django parses it. Out: a `SealedZip`, whose bytes lie sealed in a temporary file,
within the limit. Neither the disk nor this process's memory ever has the whole of it in plain.
"""

from __future__ import annotations

from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, SkipFile, StopUpload
from django.http import HttpRequest

from sharedtask.core.limits import upload_limits
from sharedtask.core.seal_stream import Sealer
from sharedtask.core.storage import Incoming

FIELD = "folder"


class SealedZip(UploadedFile):  # type: ignore[type-arg]
    def __init__(self, incoming: Incoming, name: str | None, size: int) -> None:
        super().__init__(file=None, name=name, size=size)
        self.incoming = incoming

    def close(self) -> None:
        """Django closes uploads when the request is over."""
        self.incoming.discard()


class SealOnTheWay(FileUploadHandler):
    """Django's own handlers would write a temporary file in plain, or keep all of it in memory."""

    def __init__(self, request: HttpRequest) -> None:
        super().__init__(request)
        self.too_large = False
        self.incoming: Incoming | None = None
        self.sealer = Sealer()

    def new_file(self, field_name: str, *args: Any, **kwargs: Any) -> None:
        super().new_file(field_name, *args, **kwargs)
        if field_name != FIELD or self.incoming is not None:
            raise SkipFile
        self.incoming = Incoming()
        self.incoming.write(self.sealer.begin())

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        if start + len(raw_data) > upload_limits().archive_bytes:
            self.too_large = True
            self.discard()
            raise StopUpload(connection_reset=False)
        assert self.incoming is not None
        self.incoming.write(self.sealer.piece(raw_data))

    def file_complete(self, file_size: int) -> SealedZip:
        assert self.incoming is not None
        self.incoming.write(self.sealer.end())
        return SealedZip(self.incoming, self.file_name, file_size)

    def discard(self) -> None:
        """Called when the request is over, however it ended: what was not kept goes."""
        if self.incoming is not None:
            self.incoming.discard()
