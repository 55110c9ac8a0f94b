"""The files of a task folder, from a directory on disk or from a zip in memory.

In: a directory or the bytes of a zip. Out: `read(name)`, which returns the bytes of a file or None. A zip is
written with sorted names and a fixed date, so that the same files give the same bytes.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Protocol

from evaluation.archives.members import members_of, too_many_members
from evaluation.archives.unpack import Budget
from sharedtask.core.errors import Refusal
from sharedtask.core.limits import UploadLimits, readable_bytes, upload_limits
from sharedtask.folders.problems import TASK_FILE, BadTaskFolder, Problem

ZIP_SIGNATURES = (b"PK\x03\x04", b"PK\x05\x06")
MAX_FILES = 5000
MAX_BYTES = 512 * 1024 * 1024
"""Of all unpacked files together, which a worker holds in memory; eighty test sets have about 200 MB."""
DATE = (2026, 1, 1, 0, 0, 0)


class Files(Protocol):
    def read(self, name: str) -> bytes | None: ...


class FolderOnDisk:
    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()

    def read(self, name: str) -> bytes | None:
        path = (self.folder / name).resolve()
        # A name with `..` or a symbolic link must not read files outside the folder.
        if self.folder not in path.parents or not path.is_file():
            return None
        return path.read_bytes()


class FilesInMemory:
    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = files

    def read(self, name: str) -> bytes | None:
        return self.files.get(name)


def from_zip(content: bytes) -> FilesInMemory:
    """All files may be inside one outer folder. Members that are not plain files are ignored.

    As in a team's archive, both the declared sizes and the unpacked bytes are limited.
    """
    if not content.startswith(ZIP_SIGNATURES):
        raise bad_zip("it is not a zip file")
    team_limits = upload_limits()
    limits = replace(team_limits, members=MAX_FILES, total_bytes=min(team_limits.total_bytes, MAX_BYTES))
    try:
        files = unpack(content, limits)
    except Refusal as refusal:
        # These messages for teams speak of their outputs; a task folder needs its own.
        reasons = {
            "archive-too-many-members": f"it has more than {limits.members:,} files",
            "archive-too-large-unpacked": f"it unpacks to more than {readable_bytes(limits.total_bytes)}",
            "archive-ratio": f"it unpacks to more than {limits.ratio} times its size",
        }
        raise bad_zip(reasons.get(refusal.id, refusal.message)) from refusal
    return FilesInMemory(without_outer_folder(files))


def unpack(content: bytes, limits: UploadLimits) -> dict[str, bytes]:
    budget = Budget(limits, len(content))
    files: dict[str, bytes] = {}
    for count, member in enumerate(members_of(io.BytesIO(content), limits), start=1):
        if count > limits.members:
            raise too_many_members(limits)
        budget.check_declared(member)
        if member.is_file:
            unpacked = bytearray()
            for chunk in member.chunks():
                unpacked += chunk
                budget.spend(member, len(chunk), len(unpacked))
            files[member.name] = bytes(unpacked)
    return files


def without_outer_folder(files: Mapping[str, bytes]) -> Mapping[str, bytes]:
    task_files = [name for name in files if PurePosixPath(name).name == TASK_FILE]
    if not task_files:
        raise bad_zip(f"it has no {TASK_FILE}")
    top = min(task_files, key=lambda name: name.count("/")).removesuffix(TASK_FILE)
    return {name.removeprefix(top): content for name, content in files.items() if name.startswith(top)}


def to_zip(files: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, date_time=DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, files[name])
    return buffer.getvalue()


def bad_zip(reason: str) -> BadTaskFolder:
    message = f"this is not the zip of a task folder: {reason}"
    return BadTaskFolder([Problem(file="the zip", line=None, field="", message=message)])
