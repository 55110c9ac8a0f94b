"""Receive: the bytes of an upload go from the socket to a temporary file, within the limits.

In: a request with a multipart form, whose chunks Django gives to the handler. Out: a `ReceivedUpload` with
the `Incoming` file, its size and SHA-256: one archive as it was sent, or single .conllu files packed while
they arrive (`pack.py`); and the time when the last byte arrived, which counts for the deadline. Nothing
is held in memory, and the limits are checked on every chunk. Requests far beyond the limits are rejected
earlier (`sharedtask/core/body_limit.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, SkipFile, StopUpload
from django.http import HttpRequest

from evaluation.archives.limits import too_large
from evaluation.archives.unpack import SUFFIX
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.core.limits import readable_bytes, upload_limits
from sharedtask.core.storage import Incoming
from sharedtask.submissions.arrival import last_byte_at
from sharedtask.submissions.pack import ArchiveBuilder, SingleFile

FILE_FIELD = "archive"


@dataclass(frozen=True, kw_only=True)
class ReceivedUpload:
    incoming: Incoming
    filename: str
    single_files: Sequence[SingleFile]
    at: datetime


def received_upload(request: HttpRequest) -> ReceivedUpload:
    """What the handler has received with this request, or the refusal with which it stopped."""
    handler = request.upload_handlers[0]
    assert isinstance(handler, StreamingUploadHandler)
    received = request.FILES.get(handler.form_field)
    if handler.refusal:
        raise handler.refusal
    if not isinstance(received, ReceivedFile):
        raise Refusal("upload-without-file", "Please choose the files to upload.", expected="a file")
    return ReceivedUpload(
        incoming=received.incoming,
        filename=received.name or "",
        single_files=handler.single_files,
        at=handler.received_at or clock.database_now(),
    )


class ReceivedFile(UploadedFile):  # type: ignore[type-arg]
    """A complete upload in a temporary file."""

    def __init__(self, incoming: Incoming, name: str | None) -> None:
        super().__init__(file=None, name=name, size=incoming.size)
        self.incoming = incoming

    def close(self) -> None:
        """Django closes uploads when the request is over."""
        self.incoming.discard()


class StreamingUploadHandler(FileUploadHandler):
    """Replaces Django's handlers in the upload view; `refusal` says why it stopped, if it did."""

    form_field = FILE_FIELD

    def __init__(self, request: HttpRequest) -> None:
        super().__init__(request)
        self.limits = upload_limits()
        self.incoming: Incoming | None = None
        self.builder: ArchiveBuilder | None = None
        self.refusal: Refusal | None = None
        self.received_at: datetime | None = None

    @property
    def single_files(self) -> list[SingleFile]:
        """The files that were uploaded on their own; empty for an archive."""
        return self.builder.files if self.builder else []

    def new_file(self, field_name: str, *args: Any, **kwargs: Any) -> None:
        super().new_file(field_name, *args, **kwargs)
        if field_name != self.form_field:
            raise SkipFile
        name = self.file_name or ""
        is_single_file = name.endswith(SUFFIX)
        if self.incoming is None:
            self.incoming = Incoming()
            self.builder = ArchiveBuilder(self.incoming) if is_single_file else None
        elif self.builder is None or not is_single_file:
            self.stop(mixed_upload(name))
        if self.builder is not None:
            if len(self.builder.files) >= self.limits.members:
                self.stop(too_many_files(self.limits.members))
            self.builder.begin(name)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        assert self.incoming is not None
        size = self.builder.size if self.builder else self.incoming.size
        if size + len(raw_data) > self.limits.archive_bytes:
            self.stop(too_large(self.limits.archive_bytes))
        if self.builder is None:
            self.incoming.write(raw_data)
            return
        if self.builder.written + len(raw_data) > self.limits.member_bytes:
            self.stop(file_too_large(self.file_name or "", self.limits.member_bytes))
        self.builder.write(raw_data)

    def file_complete(self, file_size: int) -> ReceivedFile:
        assert self.incoming is not None
        if self.builder is not None:
            self.builder.end()
        return ReceivedFile(self.incoming, self.file_name)

    def upload_complete(self) -> None:
        """The form has been read completely. If the archive was built here, write its directory."""
        assert self.request is not None
        self.received_at = last_byte_at(self.request)
        if self.builder is not None and self.refusal is None:
            self.builder.close()

    def discard(self) -> None:
        """Called at the end of every request: remove the file unless it was stored."""
        if self.builder is not None:
            self.builder.abandon()
        if self.incoming is not None:
            self.incoming.discard()

    def stop(self, refusal: Refusal) -> None:
        """Read and drop the rest: a browser shows our response only after its whole request was read."""
        self.refusal = refusal
        self.discard()
        raise StopUpload(connection_reset=False)


def file_too_large(name: str, limit: int) -> Refusal:
    return Refusal(
        "upload-too-large",
        f"{name!r} is larger than the limit of {readable_bytes(limit)} per file.",
        found=name,
        expected=f"at most {readable_bytes(limit)} per file",
    )


def too_many_files(limit: int) -> Refusal:
    return Refusal(
        "upload-too-many-files",
        f"The upload has more than {limit} files.",
        expected=f"at most {limit} files",
    )


def mixed_upload(name: str) -> Refusal:
    return Refusal(
        "upload-mixed",
        f"Choose either one archive or one or more {SUFFIX} files, not both.",
        found=name,
        expected=f"one archive, or {SUFFIX} files",
    )
