"""The volumes of a run, and the container that holds them and reads them for us.

Input, output and /tmp are volumes in memory with a fixed number of bytes and inodes; large outputs are on
disk (`loop.py`). Such a volume vanishes with the last container that uses it, and what a run wrote must be
read after its container has ended: a second container with a program of our own, which only waits, holds
them. The engine reads and writes files through that container, so that no path is ever resolved in an
untrusted image.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from .archive import Archive, build_archive
from .limits import Limits
from .loop import RESERVED_BLOCKS, RESERVED_FILES
from .program import Program

IMAGE_NAME = "localhost/arboretum/airlock-holder"
INPUT, OUTPUT, TMP = "/input", "/output", "/tmp"
BLOCK = 4096
CLOSED = "nosuid,nodev,noexec"
STATFS_BYTES = 120
NAMES_BYTES = 2**20
EXT4 = 0xEF53
"""As the kernel names it in statfs."""
NAMES_LIMIT = 10_000


@dataclass(frozen=True, kw_only=True)
class Space:
    """How much of a volume is used."""

    used_bytes: int
    used_files: int
    free_bytes: int
    free_files: int


@dataclass(frozen=True, kw_only=True)
class Look:
    output: Space
    tmp: Space
    names: tuple[str, ...]


@cache
def holder_image() -> Archive:
    files = {"hold": _hold(), "look": _look()}
    folders = {"input": 0o755, "output": 0o1777, "tmp": 0o1777}
    return build_archive(files, name=IMAGE_NAME, command=["/hold"], folders=folders)


def _hold() -> bytes:
    program = Program()
    program.call("pause", label="wait", then="wait", otherwise="wait")
    return program.build()


def _look() -> bytes:
    """Print the state of both file systems and the entries of the output directory, as structures of C."""
    program = Program()
    buffer = program.reserve(NAMES_BYTES)
    for folder in (OUTPUT, TMP):
        program.call("statfs", program.text(folder), buffer)
        program.print(buffer, STATFS_BYTES)
    program.call("open", program.text(OUTPUT), 0o200000, store=("read", 0))
    program.call("getdents64", 0, buffer, NAMES_BYTES, label="read", store=("write", 2), otherwise="end")
    program.call("write", 1, buffer, 0, label="write")
    program.call("exit_group", 0, label="end")
    return program.build()


def parse_look(printed: bytes) -> Look:
    output, tmp = printed[:STATFS_BYTES], printed[STATFS_BYTES : 2 * STATFS_BYTES]
    if len(tmp) < STATFS_BYTES:
        raise ValueError(f"the holder printed {len(printed)} bytes, expected at least {2 * STATFS_BYTES}")
    return Look(output=_space(output), tmp=_space(tmp), names=_names(printed[2 * STATFS_BYTES :]))


def _space(statfs: bytes) -> Space:
    kind, block, blocks, free, available, files, free_files = struct.unpack("<7Q", statfs[:56])
    # In memory, the directory itself takes an inode and no block.
    reserved_files, reserved_blocks = (RESERVED_FILES, RESERVED_BLOCKS) if kind == EXT4 else (1, 0)
    return Space(
        used_bytes=max(blocks - free - reserved_blocks, 0) * block,
        used_files=max(files - free_files - reserved_files, 0),
        free_bytes=available * block,
        free_files=free_files,
    )


def _names(entries: bytes) -> tuple[str, ...]:
    names: list[str] = []
    position = 0
    while position + 19 <= len(entries) and len(names) < NAMES_LIMIT + 2:
        (length,) = struct.unpack_from("<H", entries, position + 16)
        name = entries[position + 19 : position + length].split(b"\0", 1)[0]
        names.append(name.decode(errors="replace"))
        position += max(length, 19)
    return tuple(sorted(name for name in names if name not in (".", "..")))


def volume_options(limits: Limits, *, input_bytes: int, input_files: int) -> Mapping[str, str]:
    """Mount options by directory. podman takes `size` for a quota of its own, so that blocks are given."""
    return {
        # An engine writes every file in whole blocks, and needs one for each directory above it.
        INPUT: f"nr_blocks={_blocks(input_bytes) + 2 * input_files + 8},mode=0755,{CLOSED}",
        OUTPUT: f"nr_blocks={_blocks(limits.output_bytes)},nr_inodes={limits.output_files + 1},mode=1777,"
        + CLOSED,
        TMP: f"nr_blocks={_blocks(limits.tmp_bytes)},mode=1777,{CLOSED}",
    }


def _blocks(size: int) -> int:
    return max(-(-size // BLOCK), 1)
