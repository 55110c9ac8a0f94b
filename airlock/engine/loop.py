"""A file system of a fixed size on disk, for outputs that are too large to be kept in memory.

In: a run. Out: a loop device with an empty file system of our own making, which the engine mounts as the
volume of the output directory. Only root on the engine's host can make one; everybody else has to do with
memory. Once the volume is mounted, device and file belong to it alone: the kernel gives them up with it.
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .errors import EngineFailure
from .facts import Facts
from .limits import Limits

FOLDER = Path("/var/tmp/arboretum-airlock")
CONTROL = Path("/dev/loop-control")
PROGRAMS = ("mke2fs", "debugfs", "losetup")
SEARCHED = "/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin"
TIMEOUT_SECONDS = 60
RESERVED_FILES, RESERVED_BLOCKS = 10, 1
"""Inodes and blocks that the empty file system uses, with its root."""
SPARE = 0.02
"""What it needs for its own tables besides those of inodes."""
KEPT_SHARE, KEPT_BLOCKS = 50, 4096
"""The kernel keeps this part of all blocks for itself, and at most so many."""
MARGIN_BYTES = 2 * 2**20 + 2**16
"""The kernel refuses to write a part of a file, of at most 2 MiB with some blocks that describe it, for which
there is no space. With so much more space than the limit, whoever is refused has reached the limit."""
BLOCK, GROUP = 4096, 128 * 2**20
"""Each group of blocks has the same number of inodes, in whole blocks."""
INODE_BYTES = 256


def needs_disk(limits: Limits) -> bool:
    """In memory, such outputs would leave the system less than a half of its own."""
    return 2 * limits.output_bytes > limits.memory_bytes


def can_use_disk(facts: Facts) -> bool:
    """Loop devices are those of the host: the engine has to be on it, and this process root."""
    is_here = facts.url.startswith("unix://") and not facts.rootless
    return is_here and os.geteuid() == 0 and CONTROL.exists() and all(map(_program, PROGRAMS))


@contextmanager
def output_device(run_id: str, limits: Limits, facts: Facts) -> Iterator[str | None]:
    """The device, until the volume is mounted; None where outputs are kept in memory."""
    if not needs_disk(limits) or not can_use_disk(facts):
        yield None
        return
    remove_device(run_id)
    try:
        _make_file_system(_file(run_id), limits)
        yield _run("losetup", "--find", "--show", "--nooverlap", str(_file(run_id)))
    finally:
        remove_device(run_id)


def remove_device(run_id: str) -> None:
    """A device that is mounted stays until it is unmounted. Does nothing if there is none."""
    file = _file(run_id)
    if not file.exists():
        return
    for line in _run("losetup", "--noheadings", "--output", "NAME", "--associated", str(file)).splitlines():
        with suppress(EngineFailure):
            _run("losetup", "--detach", line.strip())
    file.unlink(missing_ok=True)


def _file(run_id: str) -> Path:
    return FOLDER / f"{run_id}.ext4"


def _make_file_system(file: Path, limits: Limits) -> None:
    FOLDER.mkdir(mode=0o700, parents=True, exist_ok=True)
    groups = limits.output_bytes // GROUP + 2
    files = limits.output_files + RESERVED_FILES + groups * BLOCK // INODE_BYTES
    size = round(limits.output_bytes * (1 + SPARE)) + MARGIN_BYTES + files * INODE_BYTES + 2**20
    try:
        with file.open("xb") as stream:
            # All of it now: a disk that is full later would be our error in the middle of a run.
            os.posix_fallocate(stream.fileno(), 0, size)
    except OSError as error:
        raise EngineFailure(f"There is no space for the output of a run: {error}") from error
    options = ["-m", "0", "-b", str(BLOCK), "-N", str(files), "-I", str(INODE_BYTES)]
    options += ["-O", "^has_journal,^resize_inode"]
    _run("mke2fs", "-q", "-F", "-t", "ext4", *options, "-E", "nodiscard,lazy_itable_init=1", str(file))
    mode = stat.S_IFDIR | 0o1777
    _change(file, "rmdir lost+found", f"set_inode_field / mode 0{mode:o}")
    _change(file, f"set_super_value r_blocks_count {_surplus_blocks(file, limits)}")


def _surplus_blocks(file: Path, limits: Limits) -> int:
    """How many blocks are left with the output at its limit and the margin used: they are kept for root."""
    lines = _run("debugfs", "-R", "stats -h", str(file)).splitlines()
    figures = {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}
    kept = min(int(figures["Block count"]) // KEPT_SHARE, KEPT_BLOCKS)
    return max(int(figures["Free blocks"]) - kept - -(-(limits.output_bytes + MARGIN_BYTES) // BLOCK), 0)


def _change(file: Path, *requests: str) -> None:
    for request in requests:
        _run("debugfs", "-w", "-R", request, str(file))


def _program(name: str) -> str | None:
    return shutil.which(name, path=SEARCHED)


def _run(name: str, *arguments: str) -> str:
    command = [_program(name) or name, *arguments]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=True,
            timeout=TIMEOUT_SECONDS,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.SubprocessError) as error:
        reason = getattr(error, "stderr", None) or error
        raise EngineFailure(f"The file system of an output could not be created: {reason}") from error
    return done.stdout.strip()
