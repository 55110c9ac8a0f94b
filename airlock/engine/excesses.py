"""The programs of the escape suite that take more than they may have."""

from __future__ import annotations

from collections.abc import Mapping

from .applied_limits import CGROUP_FILES
from .limits import MEBIBYTE
from .program import Program

FILES_PER_FOLDER = 100
COPIED_BYTES = 4096
APPEND = 0o2101
TERM, IGNORE = 15, 1
POPULATE, PRIVATE, ANONYMOUS = 0x8000, 2, 0x20


def excessive_programs() -> Mapping[str, bytes]:
    makers = (fork, memory, spin, disk, files, sparse, print_, sleep, links, users, limits, cgroup, control)
    return {maker.__name__.strip("_"): maker() for maker in makers}


def fork() -> bytes:
    program = Program()
    program.call("fork", label="again", then="again")
    program.call("exit_group", 1)
    return program.build()


def memory() -> bytes:
    program = Program()
    flags = POPULATE | PRIVATE | ANONYMOUS
    program.call("mmap", 0, 16 * MEBIBYTE, 3, flags, -1, 0, label="again", then="again", otherwise="end")
    program.call("exit_group", 1, label="end")
    return program.build()


def spin() -> bytes:
    """Two processes, so that they could use two processors."""
    program = Program()
    program.call("fork")
    program.call("getpid", label="again", then="again")
    return program.build()


def disk() -> bytes:
    program = Program()
    buffer = program.reserve(MEBIBYTE)
    program.call("open", program.text("/output/large"), 0o101, 0o644, store=("again", 0))
    program.call("write", 0, buffer, MEBIBYTE, label="again", then="again")
    program.call("exit_group", 1)
    return program.build()


def files() -> bytes:
    """Folders in folders, with files in each of them."""
    program = Program()
    folder = program.text("d")
    program.call("chdir", program.text("/output"))
    program.call("getpid", label="again")
    for number in range(FILES_PER_FOLDER):
        program.call("open", program.text(str(number)), 0o101, 0o644, store=("close", 0), otherwise="end")
        program.call("close", 3)
    program.call("mkdir", folder, 0o755, otherwise="end")
    program.call("chdir", folder, then="again")
    program.call("exit_group", 1, label="end")
    program.call("close", 0, label="close")
    return program.build()


def sparse() -> bytes:
    program = Program()
    program.call("open", program.text("/output/sparse"), 0o101, 0o644, store=("extend", 0))
    program.call("ftruncate", 0, 2**40, label="extend")
    program.call("exit_group", 1)
    return program.build()


def print_() -> bytes:
    program = Program()
    text = program.place((b"x" * 79 + b"\n") * 50)
    program.call("write", 1, text, 4000, label="again", then="again", otherwise="again")
    return program.build()


def sleep() -> bytes:
    program = Program()
    action = program.place(IGNORE.to_bytes(8, "little") + bytes(24))
    program.call("rt_sigaction", TERM, action, 0, 8)
    program.call("pause", label="again", then="again", otherwise="again")
    return program.build()


def links() -> bytes:
    """Leave everything in the output directory that is not a file."""
    program = Program()
    program.call("symlink", program.text("/etc/passwd"), program.text("/output/symbolic"))
    program.call("symlink", program.text("/"), program.text("/output/folder"))
    program.call("open", program.text("/output/regular"), 0o101, 0o644)
    program.call("link", program.text("/output/regular"), program.text("/output/regular-too"))
    program.call("mknod", program.text("/output/pipe"), 0o010666, 0)
    program.call("mknod", program.text("/output/device"), 0o020666, 0x103)
    program.call("open", program.text("/output/line\nbreak"), 0o101, 0o644)
    program.call("mkdir", program.text("/output/closed"), 0o000)
    return program.build()


def users() -> bytes:
    """Report what the kernel says about users in this container and on the host."""
    return _copy("/proc/self/uid_map", "/output/users")


def limits() -> bytes:
    """Report the limits that the kernel has for this process."""
    return _copy("/proc/self/limits", "/output/limits")


def cgroup() -> bytes:
    """Report the limits that the kernel has for this container: a line with the name before each value."""
    program = Program()
    buffer = program.reserve(COPIED_BYTES)
    target = program.text("/output/cgroup")
    names = [name for versions in CGROUP_FILES.values() for names in versions for name in names]
    for number, name in enumerate(names):
        following = str(number + 1)
        source, title = program.text(f"/sys/fs/cgroup/{name}"), f"{name} ".encode()
        program.call("open", source, 0, label=str(number), store=(f"read {number}", 0), otherwise=following)
        program.call("read", 0, buffer, COPIED_BYTES, label=f"read {number}", store=(f"write {number}", 2))
        program.call("open", target, APPEND, 0o600, store=(f"title {number}", 0), otherwise="failed")
        program.call(
            "write", 0, program.place(title), len(title), label=f"title {number}", otherwise="failed"
        )
        program.call("open", target, APPEND, 0o600, store=(f"write {number}", 0), otherwise="failed")
        program.call("write", 0, buffer, 0, label=f"write {number}", otherwise="failed")
    program.call("exit_group", 0, label=str(len(names)))
    program.call("exit_group", 1, label="failed")
    return program.build()


def control() -> bytes:
    """What every system may do: read its input and write an output; and see nothing of others in /tmp."""
    return _copy("/input/input.txt", "/output/mark", create="/tmp/mark")


def _copy(source: str, target: str, *, create: str | None = None) -> bytes:
    """The first bytes of a file into a new one; `create` must not be there either."""
    program = Program()
    buffer = program.reserve(COPIED_BYTES)
    program.call("open", program.text(source), 0, store=("read", 0), otherwise="failed")
    program.call("read", 0, buffer, COPIED_BYTES, label="read", store=("write", 2), otherwise="failed")
    if create is not None:
        program.call("open", program.text(create), 0o301, 0o600, otherwise="failed")
    program.call("open", program.text(target), 0o301, 0o600, store=("write", 0), otherwise="failed")
    program.call("write", 0, buffer, 0, label="write", otherwise="failed")
    program.call("exit_group", 0)
    program.call("exit_group", 1, label="failed")
    return program.build()
