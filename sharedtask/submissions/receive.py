"""Step 1, receive: the bytes of an upload go from the socket to a temporary file, within the limit.

In: the chunks of a multipart form, as Django parses it. Out: `ReceivedFile`, which holds the `Incoming` file
with its size and SHA-256. Nothing is kept in memory, and the limit is checked on every chunk, so that a
false Content-Length or a chunked request gains nothing.
"""

from __future__ import annotations

from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, SkipFile, StopUpload
from django.http import HttpRequest

from sharedtask.faults import TeamFault
from sharedtask.limits import readable_bytes, upload_limits
from sharedtask.storage import Incoming

FIELD = "archive"
# A browser shows our answer only if its whole request was read. A request this much over the limit is not
# worth reading to the end: the connection is closed instead.
WORTH_DRAINING = 4


class ReceivedFile(UploadedFile):  # type: ignore[type-arg]
    """An upload that has arrived whole and lies in a temporary file."""

    def __init__(self, incoming: Incoming, name: str | None) -> None:
        super().__init__(file=None, name=name, size=incoming.size)
        self.incoming = incoming

    def close(self) -> None:
        """Django closes uploads when the request is over."""
        self.incoming.discard()


class StreamToIncoming(FileUploadHandler):
    """Takes the place of Django's handlers for the upload view; `fault` says why it stopped, if it did."""

    def __init__(self, request: HttpRequest) -> None:
        super().__init__(request)
        self.limit = upload_limits().archive_bytes
        self.hopeless = False
        self.incoming: Incoming | None = None
        self.fault: TeamFault | None = None

    def handle_raw_input(self, input_data: Any, META: Any, content_length: int, *args: Any) -> None:
        self.hopeless = content_length > WORTH_DRAINING * self.limit + 1_000_000

    def new_file(self, field_name: str, *args: Any, **kwargs: Any) -> None:
        super().new_file(field_name, *args, **kwargs)
        if field_name != FIELD or self.incoming is not None:
            raise SkipFile
        if self.hopeless:
            self.stop(drain=False)
        self.incoming = Incoming()

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        assert self.incoming is not None
        if self.incoming.size + len(raw_data) > self.limit:
            self.incoming.discard()
            self.stop(drain=True)
        self.incoming.write(raw_data)

    def file_complete(self, file_size: int) -> ReceivedFile:
        assert self.incoming is not None
        return ReceivedFile(self.incoming, self.file_name)

    def discard(self) -> None:
        """Called when the request is over, however it ended: what was not kept goes."""
        if self.incoming is not None:
            self.incoming.discard()

    def stop(self, *, drain: bool) -> None:
        self.fault = too_large(self.limit)
        raise StopUpload(connection_reset=not drain)


def too_large(limit: int) -> TeamFault:
    return TeamFault(
        "upload-too-large",
        f"The upload is larger than {readable_bytes(limit)}, the most this site takes. Nothing was stored. "
        "Pack only the .conllu files, and check that they are compressed.",
        expected=f"at most {readable_bytes(limit)}",
    )
