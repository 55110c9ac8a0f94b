"""Pack the files of the input directory. In: names and contents. Out: a tar stream of known size."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

CHUNK = 2**16


def input_size(inputs: Mapping[str, bytes | Path]) -> int:
    """Bytes of all files, each rounded up to a whole block."""
    return sum(_size(content) + -_size(content) % 4096 for content in inputs.values())


def folders_of(inputs: Mapping[str, bytes | Path]) -> list[str]:
    """Every folder above a file, the upper ones first."""
    folders: set[str] = set()
    for name in inputs:
        path = PurePosixPath(name)
        if not name or path.is_absolute() or ".." in path.parts:
            raise ValueError(f"input file {name!r}: expected a path below the input directory")
        folders.update(str(parent) for parent in path.parents if str(parent) != ".")
    return sorted(folders)


def pack(inputs: Mapping[str, bytes | Path]) -> Iterator[bytes]:
    """Readable for every account and writable for none but root."""
    for folder in folders_of(inputs):
        yield _header(folder, tarfile.DIRTYPE, 0o755, 0)
    for name, content in inputs.items():
        size = _size(content)
        yield _header(name, tarfile.REGTYPE, 0o644, size)
        yield from _chunks(name, content, size)
        yield bytes(-size % tarfile.BLOCKSIZE)
    yield bytes(2 * tarfile.BLOCKSIZE)


def _header(name: str, kind: bytes, mode: int, size: int) -> bytes:
    member = tarfile.TarInfo(name)
    member.type, member.mode, member.size = kind, mode, size
    return member.tobuf(tarfile.PAX_FORMAT)


def _size(content: bytes | Path) -> int:
    return len(content) if isinstance(content, bytes) else content.stat().st_size


def _chunks(name: str, content: bytes | Path, size: int) -> Iterator[bytes]:
    if isinstance(content, bytes):
        yield content
        return
    with content.open("rb") as file:
        while size:
            chunk = file.read(min(size, CHUNK))
            if not chunk:
                raise OSError(f"input file {name!r} became shorter while it was read")
            size -= len(chunk)
            yield chunk
