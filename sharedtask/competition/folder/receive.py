"""Take in the zip of a task folder without a trace on the disk: it has gold in it.

In: the chunks of a form, as Django parses it. Out: an upload whose bytes are in memory, within the limit.
"""

from __future__ import annotations

import io
from typing import Any

from django.core.files.uploadedfile import InMemoryUploadedFile
from django.core.files.uploadhandler import FileUploadHandler, StopUpload

from sharedtask.limits import upload_limits


class KeepInMemory(FileUploadHandler):
    """Django's own handlers write what is larger than a few megabytes into a temporary file, in plain."""

    too_large = False

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        self.content = io.BytesIO()

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        if start + len(raw_data) > upload_limits().archive_bytes:
            self.too_large = True
            raise StopUpload(connection_reset=False)
        self.content.write(raw_data)

    def file_complete(self, file_size: int) -> InMemoryUploadedFile:
        self.content.seek(0)
        return InMemoryUploadedFile(
            self.content, self.field_name, self.file_name, self.content_type, file_size, self.charset
        )
