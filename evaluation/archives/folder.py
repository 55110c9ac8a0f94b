"""A folder in the form of an archive, for `unpack.py` to judge and for the client to send.

In: the path of a folder, or of a single file. Out: its files as entries, in the order of their names, and a
zip archive of them, which gets the same verdict as the folder.
"""

from __future__ import annotations

import os
import shutil
import stat
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from .members import CHUNK, Entry
from .unpack import MIN_SIZE_FOR_RATIO, is_clutter


@dataclass(frozen=True, kw_only=True)
class FolderFile(Entry):
    path: Path


def folder_files(path: Path) -> list[FolderFile]:
    """Without folders and without the clutter of file managers, which nobody means to send."""
    root = path if path.is_dir() else path.parent
    names = {file.relative_to(root).as_posix(): file for file in files_below(path)}
    return [entry_of(names[name], name) for name in sorted(names) if not is_clutter(name.split("/"))]


def files_below(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
    for folder, _, names in os.walk(path):
        yield from (Path(folder) / name for name in names)


def entry_of(file: Path, name: str) -> FolderFile:
    # A link to a file is followed, as people who keep outputs elsewhere expect.
    status = file.stat()
    is_file = stat.S_ISREG(status.st_mode)
    return FolderFile(
        name=name, is_file=is_file, is_folder=False, size=status.st_size, packed_size=None, path=file
    )


def pack(path: Path, output: BinaryIO, *, ratio: int) -> None:
    """The same files give the same archive, byte for byte, so that they are recognised when sent again.

    A file that compresses better than the limit allows is stored uncompressed, because it would be refused.
    """
    pack_files(folder_files(path), output, ratio=ratio)


def pack_files(files: list[FolderFile], output: BinaryIO, *, ratio: int) -> None:
    stored = {
        info.filename for info in write_zip(files, output, stored=set()) if compresses_too_well(info, ratio)
    }
    if stored:
        output.seek(0)
        output.truncate()
        write_zip(files, output, stored=stored)


def write_zip(files: list[FolderFile], output: BinaryIO, *, stored: set[str]) -> list[zipfile.ZipInfo]:
    with zipfile.ZipFile(output, "w") as archive:
        for file in files:
            # `ZipInfo` has a fixed default date.
            info = zipfile.ZipInfo(file.name)
            info.external_attr = (stat.S_IFREG | 0o644) << 16
            info.compress_type = zipfile.ZIP_STORED if file.name in stored else zipfile.ZIP_DEFLATED
            # The size decides in advance whether the member needs the fields of zip64.
            info.file_size = file.size
            with file.path.open("rb") as source, archive.open(info, "w") as target:
                shutil.copyfileobj(source, target, CHUNK)
        return archive.infolist()


def compresses_too_well(info: zipfile.ZipInfo, ratio: int) -> bool:
    return info.file_size >= MIN_SIZE_FOR_RATIO and info.file_size > ratio * info.compress_size
