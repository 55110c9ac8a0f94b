"""A file of ours in the hands of a library that reads what strangers have packed, and whose error it is then.

In: an open file. Out: a `Source` that the library reads instead, and `library_errors`, which turns whatever
the library raises into a refusal. The libraries were written for archives that are well meant: a broken one
makes them raise nearly anything. Only reading can fail because of our disk, so the source remembers that.
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
    """The archive asks for more than any honest one needs; the text says of what."""


class Source:
    """Reads a file, remembers if reading failed, and gives out no more at once than `most_at_once` bytes.

    A library that is told to read a table of gigabytes asks for it in one piece, so that this is a limit on
    its memory whatever it has been told, and by whichever field of the archive.
    """

    def __init__(self, file: BinaryIO, *, most_at_once: int) -> None:
        self.file = file
        self.most_at_once = most_at_once
        self.failure: Exception | None = None
        self.size = file.seek(0, 2)
        file.seek(0)

    def read(self, size: int = -1, /) -> bytes:
        if size < 0:
            size = max(0, self.size - self.file.tell())
        if size > self.most_at_once:
            raise Unreasonable("its table of contents is not where it should be")
        try:
            return self.file.read(size)
        except Exception as error:
            self.failure = error
            raise

    def seek(self, offset: int, whence: int = 0, /) -> int:
        # A file in memory would go to its beginning instead, where the library might find something else.
        if whence == 2 and offset < -self.size:
            raise OSError(errno.EINVAL, "before the beginning of the file")
        return self.file.seek(offset, whence)

    def tell(self) -> int:
        return self.file.tell()

    def seekable(self) -> bool:
        return True


IN_THEIR_OWN_WORDS = (
    Unreasonable,
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    EOFError,
)
LIBRARY_ERRORS = (
    *IN_THEIR_OWN_WORDS,
    # What the libraries do not foresee. Neither the end of a task's time nor a lack of memory is among it.
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
    """To be put around each call of the library, and around nothing else."""
    try:
        yield
    except LIBRARY_ERRORS as error:
        if source.failure is None:
            if not isinstance(error, IN_THEIR_OWN_WORDS):
                log.info("an archive made the library fail", exc_info=True)
            raise refuse(reason_of(error)) from error
    # The library may have taken a failing disk for a damaged archive, or not have noticed it at all.
    if source.failure is not None:
        raise source.failure


def reason_of(error: Exception) -> str:
    """For people who packed the archive and have never seen the library."""
    if isinstance(error, lzma.LZMAError):
        return f"xz: {error}"
    if isinstance(error, IN_THEIR_OWN_WORDS):
        return str(error) or "it ends too early"
    if isinstance(error, UnicodeError):
        return "a name in it is not in the encoding that it declares"
    if isinstance(error, NotImplementedError):
        return f"it uses a feature that this site cannot read: {error}"
    if isinstance(error, RecursionError):
        return "its headers never end"
    return "one of its headers makes no sense"
