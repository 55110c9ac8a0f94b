"""Step 1, receive: the bytes of an upload go from the socket to a temporary file, within the limits.

In: the chunks of a multipart form, as Django parses it. Out: `ReceivedFile`, which holds the `Incoming` file
with its size and SHA-256: one archive as it was sent, or single .conllu files packed as they come
(`pack.py`), and the moment at which the last byte had come, which is what a deadline asks about. Nothing is
kept in memory, and the limits are checked on every chunk. What is far beyond them does not come this far
(`sharedtask/core/body_limit.py`).
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, SkipFile, StopUpload
from django.http import HttpRequest

from sharedtask.core.errors import Refusal
from sharedtask.core.limits import readable_bytes, upload_limits
from sharedtask.core.storage import Incoming
from sharedtask.submissions.arrival import last_byte_at
from sharedtask.submissions.pack import Package, SentFile
from sharedtask.submissions.unpack import SUFFIX

FIELD = "archive"


class ReceivedFile(UploadedFile):  # type: ignore[type-arg]
    """An upload that has arrived whole and lies in a temporary file."""

    def __init__(self, incoming: Incoming, name: str | None) -> None:
        super().__init__(file=None, name=name, size=incoming.size)
        self.incoming = incoming

    def close(self) -> None:
        """Django closes uploads when the request is over."""
        self.incoming.discard()


class StreamToIncoming(FileUploadHandler):
    """Takes the place of Django's handlers for the upload view; `refusal` says why it stopped, if it did."""

    def __init__(self, request: HttpRequest) -> None:
        super().__init__(request)
        self.limits = upload_limits()
        self.incoming: Incoming | None = None
        self.package: Package | None = None
        self.refusal: Refusal | None = None
        self.ended_at: datetime | None = None

    @property
    def sent(self) -> list[SentFile]:
        """The files that came by themselves; none when an archive came."""
        return self.package.sent if self.package else []

    def new_file(self, field_name: str, *args: Any, **kwargs: Any) -> None:
        super().new_file(field_name, *args, **kwargs)
        if field_name != FIELD:
            raise SkipFile
        name = self.file_name or ""
        by_itself = name.endswith(SUFFIX)
        if self.incoming is None:
            self.incoming = Incoming()
            self.package = Package(self.incoming) if by_itself else None
        elif self.package is None or not by_itself:
            self.stop(one_or_the_other(name))
        if self.package is not None:
            if len(self.package.sent) >= self.limits.members:
                self.stop(too_many_files(self.limits.members))
            self.package.begin(name)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        assert self.incoming is not None
        size = self.package.size if self.package else self.incoming.size
        if size + len(raw_data) > self.limits.archive_bytes:
            self.stop(too_large(self.limits.archive_bytes))
        if self.package is None:
            self.incoming.write(raw_data)
            return
        if self.package.written + len(raw_data) > self.limits.member_bytes:
            self.stop(file_too_large(self.file_name or "", self.limits.member_bytes))
        self.package.write(raw_data)

    def file_complete(self, file_size: int) -> ReceivedFile:
        assert self.incoming is not None
        if self.package is not None:
            self.package.end()
        return ReceivedFile(self.incoming, self.file_name)

    def upload_complete(self) -> None:
        """The form is read to its end: a package gets its table of contents."""
        assert self.request is not None
        self.ended_at = last_byte_at(self.request)
        if self.package is not None and self.refusal is None:
            self.package.close()

    def discard(self) -> None:
        """Called when the request is over, however it ended: what was not kept goes."""
        if self.package is not None:
            self.package.abandon()
        if self.incoming is not None:
            self.incoming.discard()

    def stop(self, refusal: Refusal) -> None:
        """The rest is read and dropped: a browser shows our answer only if its whole request was read."""
        self.refusal = refusal
        self.discard()
        raise StopUpload(connection_reset=False)


def too_large(limit: int) -> Refusal:
    return Refusal(
        "upload-too-large",
        f"The upload is larger than {readable_bytes(limit)}, the most this site takes. "
        "Pack only the .conllu files, and check that they are compressed.",
        expected=f"at most {readable_bytes(limit)}",
    )


def file_too_large(name: str, limit: int) -> Refusal:
    return Refusal(
        "upload-too-large",
        f"{name!r} is larger than {readable_bytes(limit)}, the most a file may have.",
        found=name,
        expected=f"at most {readable_bytes(limit)} a file",
    )


def too_many_files(limit: int) -> Refusal:
    return Refusal(
        "upload-too-many-files",
        f"There are more than {limit} files in the upload.",
        expected=f"at most {limit} files",
    )


def one_or_the_other(name: str) -> Refusal:
    return Refusal(
        "upload-mixed",
        f"Choose one archive, or one or several {SUFFIX} files, not both.",
        found=name,
        expected=f"one archive, or {SUFFIX} files",
    )
