"""The archive that is written: `manifest.json`, the configuration and the layers, and nothing else.

Owners, times and permissions are the same in every archive, so that equal images give equal bytes.
"""

from __future__ import annotations

import hashlib
import json
from typing import IO

from .members import padded
from .stream import BLOCK_BYTES
from .tar_headers import BLOCK, LARGEST_OCTAL, POSIX


def header(name: str, size: int) -> bytes:
    """Of a regular file. Sizes from 8 GiB on are written in base 256."""
    number = b"%011o\0" % size if size <= LARGEST_OCTAL else b"\x80" + size.to_bytes(11, "big")
    fields = (
        name.encode().ljust(100, b"\0") + b"0000644\0" + b"0000000\0" * 2 + number + b"%011o\0" % 0,
        b"0" + bytes(100) + POSIX + bytes(64) + b"0000000\0" * 2 + bytes(167),
    )
    checksum = sum(fields[0]) + sum(fields[1]) + 8 * 32
    return fields[0] + b"%06o\0 " % checksum + fields[1]


class WrittenArchive:
    def __init__(self, target: IO[bytes]) -> None:
        self.target = target
        self.size = 0
        self.began = 0
        """Where the header of the present file is."""
        target.seek(0)

    def write(self, data: bytes) -> None:
        self.target.write(data)
        self.size += len(data)

    def add(self, name: str, data: bytes) -> None:
        self.write(header(name, len(data)) + data + bytes(padded(len(data)) - len(data)))

    def begin(self) -> None:
        """A file whose size is not yet known: its content follows by `write`."""
        self.began = self.size
        self.write(bytes(BLOCK))

    def end(self, name: str) -> None:
        size = self.size - self.began - BLOCK
        self.write(bytes(padded(size) - size))
        self.target.seek(self.began)
        self.target.write(header(name, size))
        self.target.seek(self.size)

    def close(self) -> str:
        """Write the end. Out: the SHA-256 of the whole archive."""
        self.write(bytes(2 * BLOCK))
        self.target.flush()
        self.target.seek(0)
        digest = hashlib.sha256()
        while data := self.target.read(BLOCK_BYTES):
            digest.update(data)
        return digest.hexdigest()


def manifest(*, configuration: str, name: str, layers: list[str]) -> bytes:
    document = [{"Config": configuration, "RepoTags": [name], "Layers": layers}]
    return json.dumps(document, separators=(",", ":")).encode()


def layer_name(diff_id: str) -> str:
    return diff_id.removeprefix("sha256:") + ".tar"
