"""Write small Linux programs without a compiler: tables of system calls, for x86-64.

The holder of a run's volumes and the programs of the escape suite must run on every engine, whatever is
installed there, so that they bring no shell and no library. Such a program is a loop of fifty bytes over a
table. Every row is a call, with the address where its result is stored (which may be an argument of another
row), the row that follows, and the row that follows an error.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

CODE_ADDRESS = 0x400000
DATA_ADDRESS = 0x10000000
ZEROS_ADDRESS = 0x20000000
PAGE = 4096
ARGUMENTS = 6
ROW_BYTES = 8 * (ARGUMENTS + 4)

NUMBERS = {
    "read": 0, "write": 1, "open": 2, "close": 3, "mmap": 9, "rt_sigaction": 13, "ioctl": 16, "pause": 34,
    "nanosleep": 35, "getpid": 39, "socket": 41, "connect": 42, "sendto": 44, "socketpair": 53, "clone": 56,
    "fork": 57, "exit": 60, "kill": 62, "ftruncate": 77, "chdir": 80, "mkdir": 83, "link": 86, "symlink": 88,
    "chmod": 90, "ptrace": 101, "setuid": 105, "setgid": 106, "setgroups": 116, "mknod": 133, "statfs": 137,
    "personality": 135, "pivot_root": 155, "prctl": 157, "chroot": 161, "mount": 165, "reboot": 169,
    "sethostname": 170, "init_module": 175, "gettid": 186, "getdents64": 217, "clock_settime": 227,
    "exit_group": 231, "add_key": 248, "request_key": 249, "keyctl": 250, "unshare": 272,
    "perf_event_open": 298, "name_to_handle_at": 303, "open_by_handle_at": 304, "setns": 308,
    "process_vm_readv": 310, "kexec_file_load": 320, "bpf": 321, "userfaultfd": 323, "io_uring_setup": 425,
    "open_tree": 428, "fsopen": 430, "pidfd_open": 434, "clone3": 435, "geteuid": 107,
}  # fmt: skip

LOOP = bytes.fromhex(
    "498b0424"  # mov rax, [r12]: the number, then the arguments
    "498b7c2408"  # mov rdi, [r12+8]
    "498b742410"  # mov rsi, [r12+16]
    "498b542418"  # mov rdx, [r12+24]
    "4d8b542420"  # mov r10, [r12+32]
    "4d8b442428"  # mov r8, [r12+40]
    "4d8b4c2430"  # mov r9, [r12+48]
    "0f05"  # syscall
    "498b5c2438"  # mov rbx, [r12+56]: where the result goes
    "488903"  # mov [rbx], rax
    "498b5c2440"  # mov rbx, [r12+64]: the next row
    "498b4c2448"  # mov rcx, [r12+72]: the next row after an error
    "4885c0"  # test rax, rax
    "480f48d9"  # cmovs rbx, rcx
    "4989dc"  # mov r12, rbx
)
Place = int | tuple[str, int]
"""An address, or an argument of a labelled row."""


@dataclass(frozen=True, kw_only=True)
class SystemCall:
    """A row of the table that the program goes through."""

    number: int
    arguments: tuple[int, ...]
    store: Place
    then: str | None = None
    otherwise: str | None = None


class Program:
    def __init__(self) -> None:
        self._rows: list[SystemCall] = []
        self._labels: dict[str, int] = {}
        self._data = bytearray(8)
        """Results that nobody reads go to its first eight bytes."""
        self._zeros = 0

    def reserve(self, size: int) -> int:
        """Address of so many bytes of zero, which take no space in the file."""
        self._zeros += size + -size % 8
        return ZEROS_ADDRESS + self._zeros - size - -size % 8

    def text(self, value: str) -> int:
        return self.place(value.encode() + b"\0")

    def place(self, content: bytes) -> int:
        address = DATA_ADDRESS + len(self._data)
        self._data += content + bytes(-len(content) % 8)
        return address

    def call(
        self,
        name: str,
        *arguments: int,
        label: str | None = None,
        store: Place = DATA_ADDRESS,
        then: str | None = None,
        otherwise: str | None = None,
    ) -> None:
        """Add a row. By default the one below follows, whatever the result is."""
        if label is not None:
            self._labels[label] = len(self._rows)
        padded = arguments + (0,) * (ARGUMENTS - len(arguments))
        self._rows.append(
            SystemCall(number=NUMBERS[name], arguments=padded, store=store, then=then, otherwise=otherwise)
        )

    def print(self, address: int, size: int) -> None:
        self.call("write", 1, address, size)

    def build(self) -> bytes:
        """The executable file. After the last row it exits with 0."""
        last = SystemCall(number=NUMBERS["exit_group"], arguments=(0,) * ARGUMENTS, store=DATA_ADDRESS)
        table = b"".join(self._encode(index, row) for index, row in enumerate([*self._rows, last]))
        start = b"\x41\xbc" + struct.pack("<I", self._address(0))  # mov r12d, the first row
        jump = b"\xeb" + struct.pack("<b", -len(LOOP) - 2)
        return _executable(start + LOOP + jump, bytes(self._data) + table, self._zeros)

    def _address(self, index: int) -> int:
        return DATA_ADDRESS + len(self._data) + index * ROW_BYTES

    def _encode(self, index: int, row: SystemCall) -> bytes:
        then = self._labels[row.then] if row.then else index + 1
        otherwise = self._labels[row.otherwise] if row.otherwise else index + 1
        numbers = [row.number, *row.arguments, self._resolve(row.store)]
        numbers += [self._address(then), self._address(otherwise)]
        return b"".join(struct.pack("<Q", number % 2**64) for number in numbers)

    def _resolve(self, place: Place) -> int:
        if isinstance(place, int):
            return place
        label, argument = place
        return self._address(self._labels[label]) + 8 * (1 + argument)


def _executable(code: bytes, data: bytes, zeros: int) -> bytes:
    """An ELF file with three segments: code that cannot be written, and data that cannot be executed."""
    headers = 64 + 3 * 56
    data_offset = -(-(headers + len(code)) // PAGE) * PAGE
    identity = b"\x7fELF\x02\x01\x01".ljust(16, b"\0")
    elf = struct.pack(
        "<16sHHIQQQIHHHHHH", identity, 2, 62, 1, CODE_ADDRESS + headers, 64, 0, 0, 64, 56, 3, 0, 0, 0
    )
    segments = (
        _segment(5, 0, CODE_ADDRESS, headers + len(code))
        + _segment(6, data_offset, DATA_ADDRESS, len(data))
        + _segment(6, 0, ZEROS_ADDRESS, 0, in_memory=max(zeros, 8))
    )
    return (elf + segments + code).ljust(data_offset, b"\0") + data


def _segment(flags: int, offset: int, address: int, size: int, in_memory: int | None = None) -> bytes:
    in_memory = size if in_memory is None else in_memory
    return struct.pack("<IIQQQQQQ", 1, flags, offset, address, address, size, in_memory, PAGE)
