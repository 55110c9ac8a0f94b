"""The uploaded archive: which files it contains and where, found without reading the layers."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from ..decompression import Readable
from .compression import LONGEST_MAGIC, Unpacked, decompressor_for
from .limits import ImageLimits
from .members import DIRECTORY, FILE, OLD_FILE, SYMBOLIC_LINK, Member, members
from .paths import path_below_root
from .refusal import ImageRefused, quote
from .stream import BLOCK_BYTES, Region, SeekableStream

ARCHIVE = "the archive"
MOST_FILES = 10_000
"""In the archive; `docker save` writes about three per layer."""
SAVE = (
    "Write the archive with “docker save --platform linux/amd64 -o image.tar NAME” or “podman save -o "
    "image.tar NAME”."
)


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of the archive."""

    name: str
    offset: int
    size: int


class Contents:
    def __init__(self, file: IO[bytes], entries: dict[str, Entry]) -> None:
        self.file = file
        self.entries = entries

    def open(self, entry: Entry) -> Region:
        return Region(self.file, entry.offset, entry.size)


def size_of(file: IO[bytes]) -> int:
    return file.seek(0, 2)


def unpack_archive(source: IO[bytes], limits: ImageLimits, scratch: Path | None) -> IO[bytes]:
    """The source itself if it is not compressed, or else a temporary file that vanishes when it is closed."""
    if size_of(source) > limits.archive_bytes:
        raise ImageRefused(
            "too-large",
            f"The archive is larger than the limit of {limits.archive_bytes:,} bytes.",
            "Remove from the image what the system does not need, such as caches and build tools.",
        )
    source.seek(0)
    new_decompressor = decompressor_for(source.read(LONGEST_MAGIC), ARCHIVE)
    if new_decompressor is None:
        return source
    source.seek(0)
    unpacked = Unpacked(source, new_decompressor, limits=limits, where=ARCHIVE)
    plain = tempfile.TemporaryFile(dir=scratch)  # noqa: SIM115
    try:
        copy(unpacked, plain)
    except BaseException:
        plain.close()
        raise
    return plain


def copy(source: Readable, target: IO[bytes]) -> None:
    while data := source.read(BLOCK_BYTES):
        target.write(data)


def list_contents(file: IO[bytes]) -> Contents:
    size = size_of(file)
    if size == 0:
        raise ImageRefused("empty", "The archive is empty.", SAVE)
    check_format(file)
    entries: dict[str, Entry] = {}
    links: dict[str, str] = {}
    number = 0
    for number, member in enumerate(members(SeekableStream(file, size, ARCHIVE)), start=1):
        if number > MOST_FILES:
            raise ImageRefused("too-many-files", f"The archive has more than {MOST_FILES:,} files.", SAVE)
        add(member, entries, links)
    # Before version 25, `docker save` wrote a layer that occurs twice as a link to the first one.
    for name, target in links.items():
        if target in entries:
            entries[name] = entries[target]
    return Contents(file, entries)


def check_format(file: IO[bytes]) -> None:
    file.seek(257)
    if file.read(5) != b"ustar":
        raise ImageRefused("format-unknown", "The file is neither a tar archive nor a compressed one.", SAVE)


def add(member: Member, entries: dict[str, Entry], links: dict[str, str]) -> None:
    name = text_of(path_below_root(member.name, ARCHIVE))
    if name in entries or name in links:
        raise ImageRefused("duplicate-member", f"In the archive, {quote(name)} occurs twice.", SAVE)
    if member.type in (FILE, OLD_FILE):
        entries[name] = Entry(name, member.offset, member.size)
    elif member.type == SYMBOLIC_LINK:
        links[name] = link_target(name, text_of(member.link))
    elif member.type != DIRECTORY:
        raise ImageRefused("format-unknown", f"In the archive, {quote(name)} is a hard link.", SAVE)


def text_of(name: bytes) -> str:
    return name.decode("utf-8", "replace")


def link_target(name: str, link: str) -> str:
    """As Docker writes it: `../ID/layer.tar`, from a directory of the first level."""
    return link.removeprefix("../") if name.count("/") == 1 else link
