"""Receive the zip of a task folder. It contains gold, so it is sealed for the workers while it is written.

In: the chunks of a form, as Django parses it. Out: a `SealedZip` with its sealed bytes in a temporary file,
within the size limit. The complete plain text is never on disk or in memory.
"""

from __future__ import annotations

from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, SkipFile, StopUpload
from django.http import HttpRequest

from sharedtask.core.errors import Refusal
from sharedtask.core.limits import readable_bytes, upload_limits
from sharedtask.core.seal_stream import Sealer
from sharedtask.core.storage import Incoming

FIELD = "folder"


class SealedZip(UploadedFile):  # type: ignore[type-arg]
    def __init__(self, incoming: Incoming, name: str | None, size: int) -> None:
        super().__init__(file=None, name=name, size=size)
        self.incoming = incoming

    def close(self) -> None:
        """Django closes uploads at the end of the request."""
        self.incoming.discard()


class SealingUploadHandler(FileUploadHandler):
    """Django's own handlers would write an unsealed temporary file or keep everything in memory."""

    def __init__(self, request: HttpRequest, field: str = FIELD) -> None:
        super().__init__(request)
        self.field = field
        self.too_large = False
        self.incoming: Incoming | None = None
        self.sealer = Sealer()

    def new_file(self, field_name: str, *args: Any, **kwargs: Any) -> None:
        super().new_file(field_name, *args, **kwargs)
        if field_name != self.field or self.incoming is not None:
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
        """Called at the end of every request; removes what was not stored."""
        if self.incoming is not None:
            self.incoming.discard()


def sealed_upload(request: HttpRequest, *, field: str = FIELD, missing: str) -> SealedZip:
    """The uploaded file, or a refusal; `missing` is the message if there is none."""
    upload = request.FILES.get(field)
    handler = request.upload_handlers[0]
    if isinstance(handler, SealingUploadHandler) and handler.too_large:
        limit = readable_bytes(upload_limits().archive_bytes)
        raise Refusal("folder-too-large", f"The file is larger than {limit}. Nothing was stored.")
    if not isinstance(upload, SealedZip):
        raise Refusal("folder-missing", missing)
    return upload
