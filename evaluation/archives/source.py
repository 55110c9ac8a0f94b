"""Reading untrusted archives with libraries, and telling a damaged archive from a failing disk.

In: an open file. Out: a `Source`, which the library reads instead of the file, and `library_errors`, which
turns an exception of the library into a refusal. The libraries were not written for hostile archives, and a
damaged one can make them raise nearly anything. A failing disk can only show in reading, so the source
remembers such a failure.
"""

from __future__ import annotations

import errno
import logging
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import BinaryIO

log = logging.getLogger(__name__)


class Unreasonable(Exception):
    """The archive needs more of something than any honest one; the message says of what."""


class Source:
    """Reads a file, remembers if reading failed, and returns no more than `max_read` bytes at once.

    A library would read a table of gigabytes in one piece, so that this limits its memory, independently of
    the fields in the archive that give the size.
    """

    def __init__(self, file: BinaryIO, *, max_read: int) -> None:
        self.file = file
        self.max_read = max_read
        self.failure: Exception | None = None
        self.size = file.seek(0, 2)
        file.seek(0)

    def read(self, size: int = -1, /) -> bytes:
        if size < 0:
            size = max(0, self.size - self.file.tell())
        if size > self.max_read:
            raise Unreasonable("its table of contents is not in the expected place")
        try:
            return self.file.read(size)
        except Exception as error:
            self.failure = error
            raise

    def seek(self, offset: int, whence: int = 0, /) -> int:
        # A file in memory would seek to its beginning instead, where the library might find something else.
        if whence == 2 and offset < -self.size:
            raise OSError(errno.EINVAL, "before the beginning of the file")
        return self.file.seek(offset, whence)

    def tell(self) -> int:
        return self.file.tell()

    def seekable(self) -> bool:
        return True


WITH_MESSAGE = (
    Unreasonable,
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    EOFError,
)
LIBRARY_ERRORS = (
    *WITH_MESSAGE,
    # Errors that the libraries do not expect. A time limit and a lack of memory are not among them.
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
    struct.error,
)


@contextmanager
def library_errors(source: Source, refuse: Callable[[str], Exception]) -> Iterator[None]:
    """For use around every call of the library, and nothing else."""
    try:
        yield
    except LIBRARY_ERRORS as error:
        if source.failure is None:
            if not isinstance(error, WITH_MESSAGE):
                log.info("an archive made the library fail", exc_info=True)
            raise refuse(reason_of(error)) from error
    # The library may have treated a failing disk as a damaged archive, or may have ignored the error.
    if source.failure is not None:
        raise source.failure


def reason_of(error: Exception) -> str:
    """In words for people who do not know the library."""
    if isinstance(error, lzma.LZMAError):
        return f"xz: {error}"
    if isinstance(error, WITH_MESSAGE):
        return str(error) or "it ends too early"
    if isinstance(error, UnicodeError):
        return "a file name is not in the declared encoding"
    if isinstance(error, NotImplementedError):
        return f"it uses a feature that is not supported: {error}"
    if isinstance(error, RecursionError):
        return "it has too many nested headers"
    return "one of its headers is invalid"
