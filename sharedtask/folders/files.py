"""Where the files of a task folder come from: a folder on the disk, or a zip in memory.

In: a folder or the bytes of a zip. Out: `read(name)`, the bytes of one file or None. A zip is written with
names in order and a fixed date in it, so that the same files are the same bytes.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Protocol

from sharedtask.core.limits import readable_bytes, upload_limits
from sharedtask.folders.problems import TASK_FILE, BadTaskFolder, Problem

MOST_FILES = 5000
DATE = (2026, 1, 1, 0, 0, 0)


class Files(Protocol):
    def read(self, name: str) -> bytes | None: ...


class FolderOnDisk:
    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()

    def read(self, name: str) -> bytes | None:
        path = (self.folder / name).resolve()
        # A name with `..` or a link must not bring in what lies elsewhere on this machine.
        if self.folder not in path.parents or not path.is_file():
            return None
        return path.read_bytes()


class FilesInMemory:
    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = files

    def read(self, name: str) -> bytes | None:
        return self.files.get(name)


def from_zip(content: bytes) -> FilesInMemory:
    """A folder around everything does no harm; what is no plain file is left out."""
    limit = upload_limits().total_bytes
    files: dict[str, bytes] = {}
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir()]
            if len(entries) > MOST_FILES:
                raise bad_zip(f"it has {len(entries)} files; expected at most {MOST_FILES}")
            left = limit
            for entry in entries:
                with archive.open(entry) as stream:
                    # Declared sizes may lie: the limit is held to while reading.
                    files[entry.filename] = stream.read(left + 1)
                left -= len(files[entry.filename])
                if left < 0:
                    raise bad_zip(f"unpacked it has more than {readable_bytes(limit)}")
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError) as error:
        raise bad_zip(str(error)) from error
    return FilesInMemory(without_outer_folder(files))


def without_outer_folder(files: Mapping[str, bytes]) -> Mapping[str, bytes]:
    tops = [name for name in files if PurePosixPath(name).name == TASK_FILE]
    if not tops:
        raise bad_zip(f"it has no {TASK_FILE}")
    top = min(tops, key=lambda name: name.count("/")).removesuffix(TASK_FILE)
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
    message = f"this is no zip of a task folder: {reason}"
    return BadTaskFolder([Problem(file="the zip", line=None, field="", message=message)])
