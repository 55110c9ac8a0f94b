"""What the escape suite tries: system calls that must be refused, and programs that exceed every limit.

All are programs of our own (see `program.py`), so that they can be tried on every engine.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .limits import GIBIBYTE, MEBIBYTE, Limits
from .outcome import LimitName
from .program import Program

READ, WRITE, CREATE = 0, 1, 0o101
RESULTS = "results"
DNS_SERVERS = (b"\x7f\0\0\x0b", b"\x7f\0\0\x01")
"""That of Docker and one of the host itself."""
FAMILIES = range(46)
OPEN_FAMILIES = {1: "unix", 2: "inet", 10: "inet6"}
SOCKET_TYPES = (1, 2, 3, 5)
NEW_NAMESPACES = (0x10000000, 0x20000, 0x40000000, 0x20000000, 0x04000000, 0x08000000, 0x02000000)
PROCESS_OF_THE_HOST = os.getpid()

SMALL = Limits(
    memory_bytes=48 * MEBIBYTE, processes=32, output_bytes=20 * MEBIBYTE, output_files=500,
    log_bytes=MEBIBYTE, tmp_bytes=4 * MEBIBYTE, wall_seconds=60, shared_memory_bytes=MEBIBYTE,
)  # fmt: skip
FULL = Limits(
    memory_bytes=2 * GIBIBYTE, processes=1000, output_bytes=GIBIBYTE, output_files=1_000_000,
    log_bytes=64 * MEBIBYTE, tmp_bytes=256 * MEBIBYTE, wall_seconds=600,
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Call:
    """A system call that must fail."""

    name: str
    arguments: tuple[int | str | bytes, ...] = ()
    must_be_empty: bool = False
    """A file that engines cover with an empty one: it may be opened, but nothing can be read."""

    def has_succeeded(self, result: int) -> bool:
        return result > 0 if self.must_be_empty else result >= 0


def _opened(flags: int, *paths: str) -> list[Call]:
    return [Call(name="open", arguments=(path, flags, 0o666)) for path in paths]


def _read(*paths: str) -> list[Call]:
    return [Call(name="open", arguments=(path, READ), must_be_empty=True) for path in paths]


def _calls(*names: str) -> list[Call]:
    return [Call(name=name) for name in names]


def _address(family: int, port: int, host: bytes) -> bytes:
    return struct.pack("<H", family) + struct.pack(">H", port) + host.ljust(12, b"\0")


REFUSED: dict[str, list[Call]] = {
    "sockets of other families": [
        Call(name="socket", arguments=(family, kind, 0))
        for family in FAMILIES if family not in OPEN_FAMILIES for kind in SOCKET_TYPES
    ],
    "raw sockets": [Call(name="socket", arguments=(family, 3, 255)) for family in (2, 10)],
    # The program opens a socket before, which has the number 3.
    "network": [
        Call(name="connect", arguments=(3, _address(2, port, host), 16))
        for port in (53, 80, 443) for host in (b"\xc0\x00\x02\x01", b"\x08\x08\x08\x08", b"\xa9\xfe\xa9\xfe")
    ],
    "name resolution": [
        Call(name="connect", arguments=(3, _address(2, 53, host), 16)) for host in DNS_SERVERS
    ],
    "files of the host": _opened(
        READ, str(Path(__file__).resolve()), "/etc/shadow", "/proc/1/root/etc/shadow", "/root", "/home"
    ),
    "socket of the engine": _opened(READ, "/var/run/docker.sock", "/run/podman/podman.sock"),
    "files of the kernel": [
        *_read("/proc/kcore", "/proc/keys", "/proc/timer_list"),
        *_opened(READ, "/dev/mem", "/dev/kmsg", "/proc/1/mem/x"),
        *_opened(WRITE, "/proc/sysrq-trigger", "/proc/sys/kernel/core_pattern", "/proc/sys/vm/drop_caches"),
        *_opened(WRITE, "/sys/kernel/mm/ksm/run", "/sys/fs/cgroup/memory/memory.limit_in_bytes"),
        *_opened(CREATE, "/sys/fs/cgroup/x", "/sys/fs/cgroup/memory/x", "/proc/x"),
    ],
    "writing anywhere else": _opened(
        CREATE, "/x", "/input/x", "/input/input.txt", "/dev/x", "/etc/x", "/etc/hosts", "/etc/resolv.conf",
        "/run/x", "/var/x", "/var/tmp/x", "/var/run/x", "/syscalls",
    ),
    "becoming root": [
        *[Call(name="setuid"), Call(name="setgid"), Call(name="setgroups", arguments=(0, 0))],
        Call(name="chmod", arguments=("/syscalls", 0o4755)),
    ],
    "ptrace": [Call(name="ptrace"), *_calls("process_vm_readv")],
    "mount": [
        Call(name="mount", arguments=("none", "/tmp", "tmpfs", 0, 0)),
        Call(name="chroot", arguments=("/tmp",)),
        *_calls("pivot_root", "open_tree", "fsopen"),
    ],
    "new namespaces": [
        *[Call(name=name, arguments=(flag,)) for flag in NEW_NAMESPACES for name in ("unshare", "clone")],
        *_calls("setns", "clone3"),
    ],
    "devices": [
        Call(name="mknod", arguments=(f"{folder}/device", kind | 0o666, 0x103))
        for folder in ("/tmp", "/output") for kind in (0o020000, 0o060000)
    ],
    "keyrings": [*_calls("keyctl", "add_key", "request_key")],
    "bpf": _calls("bpf", "perf_event_open"),
    "io_uring": [Call(name="io_uring_setup", arguments=(8, bytes(120)))],
    "other interfaces of the kernel": [
        *_calls("userfaultfd", "init_module", "kexec_file_load", "open_by_handle_at", "name_to_handle_at"),
        Call(name="sethostname", arguments=("x", 1)),
        Call(name="clock_settime", arguments=(0, bytes(16))),
        Call(name="reboot", arguments=(0xFEE1DEAD, 672274793, 0)),
    ],
    "signals to other processes": [Call(name="kill", arguments=(PROCESS_OF_THE_HOST, 9))],
}  # fmt: skip


def refused_calls() -> list[Call]:
    return [call for calls in REFUSED.values() for call in calls]


def syscalls() -> bytes:
    """Try all of them and write their results; the first two show that the program works at all.

    They go to a file, because engines replace bytes in the log that are not UTF-8.
    """
    program = Program()
    calls = refused_calls()
    results, byte = program.reserve(8 * (len(calls) + 2)), program.reserve(8)
    program.call("socket", 2, 1, 0, store=results)
    program.call("geteuid", store=results + 8)
    for index, call in enumerate(calls):
        arguments = [_place(program, argument) for argument in call.arguments]
        result = results + 8 * (index + 2)
        if call.must_be_empty:
            program.call(call.name, *arguments, store=(f"read {index}", 0))
            program.call("read", 0, byte, 1, label=f"read {index}", store=result)
        else:
            program.call(call.name, *arguments, store=result)
    program.call("open", program.text(f"/output/{RESULTS}"), CREATE, 0o644, store=("write", 0))
    program.call("write", 0, results, 8 * (len(calls) + 2), label="write")
    return program.build()


def _place(program: Program, argument: int | str | bytes) -> int:
    if isinstance(argument, str):
        return program.text(argument)
    return program.place(argument) if isinstance(argument, bytes) else argument


def parse_results(content: bytes) -> Sequence[int]:
    return struct.unpack_from(f"<{len(content) // 8}q", content)


@dataclass(frozen=True, kw_only=True)
class Excess:
    """A program that must end because of this limit."""

    name: str
    program: str
    limit: LimitName | None
    """None if the kernel refuses it at once, and the program fails."""
    wall_seconds: int | None = None
    """Instead of the suite's, for programs that never end."""


EXCESSES = (
    Excess(name="fork bomb", program="fork", limit="processes"),
    Excess(name="memory", program="memory", limit="memory"),
    Excess(name="endless computation", program="spin", limit="wall time", wall_seconds=3),
    Excess(name="disk", program="disk", limit="output bytes"),
    Excess(name="a million files", program="files", limit="output files"),
    Excess(name="a sparse file of 1 TB", program="sparse", limit=None),
    Excess(name="endless printing", program="print", limit="log bytes"),
    Excess(name="sleep that ignores SIGTERM", program="sleep", limit="wall time", wall_seconds=1),
)
