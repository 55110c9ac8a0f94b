"""All inputs that a viewer may download, in one zip.

In: viewer, task, time. Out: the bytes of the zip, in chunks as the files are read: nothing is stored, and a
slow client uses no memory. The same files give the same bytes.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator
from datetime import datetime

from sharedtask.accounts import roles
from sharedtask.accounts.roles import Viewer
from sharedtask.competition import task_access
from sharedtask.competition.models import InputFile, Task
from sharedtask.competition.withheld_inputs import withheld_variants
from sharedtask.core import storage

CHUNK = 64 * 1024


def downloadable_inputs(viewer: Viewer, task: Task, *, at: datetime) -> list[tuple[str, InputFile]]:
    """Each with its name in the zip: one folder per variant, with files named after their test sets."""
    role = roles.role_of(viewer, task)
    withheld = withheld_variants(task, at=at)
    test_sets = task_access.test_sets(viewer, task, at=at).prefetch_related("inputs")
    named = []
    for test_set in test_sets:
        for file in task_access.inputs(viewer, test_set, at=at, role=role, withheld=withheld):
            extension = "conllu" if file.filename.endswith(".conllu") else "txt"
            named.append((f"{task.slug}/{file.variant}/{test_set.code}.{extension}", file))
    return named


def stream_zip(files: Iterable[tuple[str, InputFile]]) -> Iterator[bytes]:
    buffer = ChunkBuffer()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, file in files:
            # `ZipInfo` without a date has a fixed one.
            with (
                archive.open(zipfile.ZipInfo(name), "w") as entry,
                storage.open_stream(file.stored) as stream,
            ):
                while chunk := stream.read(CHUNK):
                    entry.write(chunk)
                    yield buffer.drain()
    yield buffer.drain()


class ChunkBuffer:
    """What `zipfile` writes to. It cannot seek, so `zipfile` writes the size of an entry after its data."""

    def __init__(self) -> None:
        self.chunks: list[bytes] = []

    def write(self, data: bytes, /) -> int:
        self.chunks.append(bytes(data))
        return len(data)

    def drain(self) -> bytes:
        data, self.chunks = b"".join(self.chunks), []
        return data

    def flush(self) -> None:
        pass

    def close(self) -> None:
        pass
