"""Whether a file is UTF-8, and which of its lines are not."""

from __future__ import annotations

from functools import partial

from .incidents import Collector, Incident, visible_bytes

# The file is never decoded as a whole.
_PIECE = 1 << 18


def check_encoding(raw: bytearray, collector: Collector) -> None:
    """Decode the file piece by piece, and a piece that is not UTF-8 line by line."""
    begin = len(raw) if raw.isascii() else 0
    with memoryview(raw) as view:
        while begin < len(raw):
            end = raw.find(b"\n", begin + _PIECE) + 1 or len(raw)
            if not _is_utf8(view[begin:end]):
                lines = bytes(view[begin:end]).split(b"\n")
                bad = [number for number, line in enumerate(lines) if not _is_utf8(line)]
                before = raw.count(b"\n", 0, begin)
                collector.add("not-utf8", bad, partial(_describe, lines, before))
            begin = end


def _describe(lines: list[bytes], lines_before: int, number: int) -> Incident:
    found = visible_bytes(lines[number], errors="backslashreplace")
    return Incident("not-utf8", lines_before + number + 1, None, f"“{found}”", "UTF-8")


def _is_utf8(piece: bytes | memoryview) -> bool:
    try:
        str(piece, "utf-8")
    except UnicodeDecodeError:
        return False
    return True
