"""Whether a file is UTF-8, and which of its lines are not."""

from __future__ import annotations

from functools import partial

import numpy as np

from .incidents import Collector, Incident, visible_bytes

# The file is never decoded as a whole.
_PIECE = 1 << 18
# Bytes that are never allowed, or that restrict the byte after them: they need a decoder.
_SPECIAL = (b"\xc0", b"\xc1", b"\xe0", b"\xed")
_FIRST_OF_FOUR = 0xF0


def check_encoding(raw: bytearray, collector: Collector) -> None:
    """Look at the file piece by piece, and at a piece that is not UTF-8 line by line."""
    begin = len(raw) if raw.isascii() else 0
    with memoryview(raw) as view:
        while begin < len(raw):
            end = raw.find(b"\n", begin + _PIECE) + 1 or len(raw)
            piece = view[begin:end]
            is_special = any(raw.find(byte, begin, end) >= 0 for byte in _SPECIAL)
            if (is_special or not _is_plain_utf8(piece)) and not _is_utf8(piece):
                lines = bytes(piece).split(b"\n")
                bad = [number for number, line in enumerate(lines) if not _is_utf8(line)]
                before = raw.count(b"\n", 0, begin)
                collector.add("not-utf8", bad, partial(_describe, lines, before))
            begin = end


def _describe(lines: list[bytes], lines_before: int, number: int) -> Incident:
    found = visible_bytes(lines[number], errors="backslashreplace")
    return Incident("not-utf8", lines_before + number + 1, None, f"“{found}”", "UTF-8")


def _is_plain_utf8(view: memoryview) -> bool:
    """Whether the piece is UTF-8 of at most three bytes per character; it must not have special bytes.

    A decoder would need two or three times as long.
    """
    piece = np.frombuffer(view, dtype=np.uint8)
    if int(piece.max()) >= _FIRST_OF_FOUR:
        return False
    # A byte continues a character exactly if the byte before begins one of two or three bytes, or the one
    # before that begins one of three.
    continues = np.zeros(len(piece) + 2, dtype=bool)
    np.greater_equal(piece, 0xC0, out=continues[1:-1])
    continues[2:] |= piece >= 0xE0
    continues[:-2] ^= piece.view(np.int8) < -64
    return not continues.any()


def _is_utf8(piece: bytes | memoryview) -> bool:
    try:
        str(piece, "utf-8")
    except UnicodeDecodeError:
        return False
    return True
