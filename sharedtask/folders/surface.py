"""Compare the characters of an input variant with the raw text.

In: CoNLL-U, for example a baseline's segmentation and tags. It needs ten columns and numeric IDs, but no
tree: HEAD and DEPREL may be empty. Out: nothing, or a `SurfaceMismatch` with the line.
"""

from __future__ import annotations

from evaluation.reading.compare_text import WHITE_SPACE

MAX_ID_LENGTH = 9
REMOVE = dict.fromkeys(map(ord, WHITE_SPACE))


class SurfaceMismatch(Exception):
    """The variant differs from the raw text, or is not CoNLL-U."""

    def __init__(self, line: int | None, message: str) -> None:
        super().__init__(message)
        self.line = line


def check_conllu(content: bytes, text: str) -> None:
    try:
        lines = content.decode("utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise SurfaceMismatch(content[: error.start].count(b"\n") + 1, "the file is not UTF-8") from None
    expected = text.translate(REMOVE)
    place = inside_until = 0
    for number, line in enumerate(lines, start=1):
        line = line.removesuffix("\r")
        if not line or line.startswith("#"):
            inside_until = 0 if not line else inside_until
            continue
        columns = line.split("\t")
        if len(columns) != 10:
            raise SurfaceMismatch(number, f"found {len(columns)} columns, expected ten separated by tabs")
        first, hyphen, last = columns[0].partition("-")
        if "." in first:
            continue
        if not is_number(first) or (hyphen and not is_number(last)):
            raise SurfaceMismatch(number, "the ID is not a number")
        if not hyphen and int(first) <= inside_until:
            continue
        inside_until = int(last) if hyphen else inside_until
        form = columns[1].translate(REMOVE)
        if not expected.startswith(form, place):
            raise SurfaceMismatch(number, "the characters diverge from the raw text here")
        place += len(form)
    if place != len(expected):
        raise SurfaceMismatch(None, "the file ends before the raw text does")


def is_number(text: str) -> bool:
    """Python refuses to convert numbers of thousands of digits."""
    return text.isdecimal() and len(text) <= MAX_ID_LENGTH


def check_text(content: bytes, text: str) -> None:
    try:
        surface = content.decode("utf-8").translate(REMOVE)
    except UnicodeDecodeError as error:
        raise SurfaceMismatch(content[: error.start].count(b"\n") + 1, "the file is not UTF-8") from None
    if surface != text.translate(REMOVE):
        raise SurfaceMismatch(None, "the characters differ from the raw text, even without white space")
