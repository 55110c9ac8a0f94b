"""Pack single files while they arrive, so that later steps handle them like an uploaded archive.

In: for each file its name and its chunks. Out: one `Incoming` file, an uncompressed zip archive, and for each
file a `SingleFile` with the size and SHA-256 of the bytes sent. The same files in the same order give the
same archive, byte for byte.
"""

from __future__ import annotations

import hashlib
import zipfile
from dataclasses import asdict, dataclass
from pathlib import PurePath
from typing import IO, Any

from sharedtask.core.storage import Incoming


@dataclass(frozen=True, kw_only=True)
class SingleFile:
    name: str
    size_bytes: int
    sha256: str

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


class ArchiveBuilder:
    """Writes an archive; `incoming` holds all of it once `close` has been called."""

    def __init__(self, incoming: Incoming) -> None:
        self.incoming = incoming
        self.files: list[SingleFile] = []
        self.size = 0
        # Without compression, so that plain files cannot exceed the limit on the compression ratio.
        self._sink = _Sink(incoming)
        self._zip = zipfile.ZipFile(self._sink, "w", zipfile.ZIP_STORED)
        self._member: IO[bytes] | None = None
        self._name = ""
        self._written = 0
        self._hash = hashlib.sha256()

    def begin(self, name: str) -> None:
        self._name = PurePath(name.replace("\\", "/")).name
        # `ZipInfo` has a fixed default date, so that the archive depends on the files alone.
        self._member = self._zip.open(zipfile.ZipInfo(self._name), "w", force_zip64=False)
        self._written = 0
        self._hash = hashlib.sha256()

    @property
    def written(self) -> int:
        """Bytes written of the current file."""
        return self._written

    def write(self, chunk: bytes) -> None:
        assert self._member is not None
        self._member.write(chunk)
        self._hash.update(chunk)
        self._written += len(chunk)
        self.size += len(chunk)

    def end(self) -> None:
        assert self._member is not None
        self._member.close()
        self._member = None
        file = SingleFile(name=self._name, size_bytes=self._written, sha256=self._hash.hexdigest())
        self.files.append(file)

    def close(self) -> None:
        self._zip.close()

    def abandon(self) -> None:
        """Close without writing any more, because the underlying file is gone. Harmless after `close`."""
        self._sink.open = False
        if self._member is not None:
            self._member.close()
        self._zip.close()


class _Sink:
    """The stream that `zipfile` writes to. It cannot seek, so `zipfile` writes sizes after each file."""

    def __init__(self, incoming: Incoming) -> None:
        self.incoming = incoming
        self.open = True

    def write(self, data: bytes, /) -> int:
        if self.open:
            self.incoming.write(bytes(data))
        return len(data)

    def flush(self) -> None:
        pass

    def close(self) -> None:
        pass
