"""All inputs that a reader may download now in one zip, so that nobody has to fetch eighty files by hand.

In: viewer, task, the moment. Out: the bytes of the zip, piece by piece as the files are read: nothing is
stored, and a slow reader holds no memory. The same files give the same bytes.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator
from datetime import datetime

from sharedtask.accounts import roles
from sharedtask.accounts.roles import Viewer
from sharedtask.competition import task_access
from sharedtask.competition.models import InputFile, Task
from sharedtask.core import storage

CHUNK = 64 * 1024


def inputs_of(viewer: Viewer, task: Task, *, at: datetime) -> list[tuple[str, InputFile]]:
    """Each with its name in the zip: a folder for each variant, where files are called after their sets."""
    role = roles.role_of(viewer, task)
    found = []
    for one in task_access.test_sets(viewer, task, at=at).select_related("task").prefetch_related("inputs"):
        for file in task_access.inputs(viewer, one, at=at, role=role):
            ending = "conllu" if file.filename.endswith(".conllu") else "txt"
            found.append((f"{task.slug}/{file.variant}/{one.code}.{ending}", file))
    return found


def zipped(files: Iterable[tuple[str, InputFile]]) -> Iterator[bytes]:
    pieces = Pieces()
    with zipfile.ZipFile(pieces, "w") as archive:
        for name, file in files:
            # Without a date of its own an entry has a fixed one.
            with (
                archive.open(zipfile.ZipInfo(name), "w") as entry,
                storage.open_stream(file.stored) as stream,
            ):
                while chunk := stream.read(CHUNK):
                    entry.write(chunk)
                    yield pieces.taken()
    yield pieces.taken()


class Pieces:
    """What `zipfile` writes to. It cannot seek, so that the size of each entry follows it."""

    def __init__(self) -> None:
        self.waiting: list[bytes] = []

    def write(self, data: bytes, /) -> int:
        self.waiting.append(bytes(data))
        return len(data)

    def taken(self) -> bytes:
        taken, self.waiting = b"".join(self.waiting), []
        return taken

    def flush(self) -> None:
        pass

    def close(self) -> None:
        pass
