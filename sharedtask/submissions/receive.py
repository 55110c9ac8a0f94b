"""Step 1, receive: the bytes of an upload go from the socket to a temporary file, within the limit.

In: the chunks of a multipart form, as Django parses it. Out: `ReceivedFile`, which holds the `Incoming` file
with its size and SHA-256. Nothing is kept in memory, and the limit is checked on every chunk, so that a
false Content-Length or a chunked request gains nothing.
"""

from __future__ import annotations

from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, StopUpload
from django.http import HttpRequest

from sharedtask.faults import TeamFault
from sharedtask.limits import readable_bytes, upload_limits
from sharedtask.storage import Incoming

# A browser shows our answer only if its whole request was read. A request this much over the limit is not
# worth reading to the end: the connection is closed instead.
WORTH_DRAINING = 4


class ReceivedFile(UploadedFile):
    """An upload that lies in a temporary file. Closing it, as Django does in the end, discards the file."""

    def __init__(self, incoming: Incoming, name: str | None) -> None:
        super().__init__(file=None, name=name, size=incoming.size)
        self.incoming = incoming

    def close(self) -> None:
        self.incoming.discard()


class StreamToIncoming(FileUploadHandler):
    """Takes the place of Django's handlers for the upload view; `fault` says why it stopped, if it did."""

    def __init__(self, request: HttpRequest) -> None:
        super().__init__(request)
        self.limit = upload_limits().archive_bytes
        self.incoming: Incoming | None = None
        self.fault: TeamFault | None = None

    def handle_raw_input(self, input_data: Any, META: Any, content_length: int, *args: Any) -> None:
        if content_length > WORTH_DRAINING * self.limit + 1_000_000:
            self.stop(drain=False)

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        if self.incoming is not None:
            # A second file part has no place in this form; the first one goes with it.
            self.incoming.discard()
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

    def upload_interrupted(self) -> None:
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
