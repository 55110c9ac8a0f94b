"""The characters of an input variant, which need not be a tree: a baseline's segmentation and tags, say.

In: CoNLL-U whose HEAD and DEPREL may be empty. Out: where it leaves the raw text, or None. Only ten columns
and numbers as IDs are asked for.
"""

from __future__ import annotations

from evaluation.reading.compare_text import WHITE_SPACE

REMOVE = dict.fromkeys(map(ord, WHITE_SPACE))


class Leaves(Exception):
    """The variant leaves the text, or is no CoNLL-U; the line says where."""

    def __init__(self, line: int | None, message: str) -> None:
        super().__init__(message)
        self.line = line


def check_conllu(content: bytes, text: str) -> None:
    try:
        lines = content.decode("utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise Leaves(content[: error.start].count(b"\n") + 1, "it is not UTF-8") from None
    expected = text.translate(REMOVE)
    place = inside_until = 0
    for number, line in enumerate(lines, start=1):
        line = line.removesuffix("\r")
        if not line or line.startswith("#"):
            inside_until = 0 if not line else inside_until
            continue
        columns = line.split("\t")
        if len(columns) != 10:
            raise Leaves(number, f"found {len(columns)} columns, expected ten separated by tabs")
        first, hyphen, last = columns[0].partition("-")
        if "." in first:
            continue
        if not first.isdecimal() or (hyphen and not last.isdecimal()):
            raise Leaves(number, "the ID is no number")
        if not hyphen and int(first) <= inside_until:
            continue
        inside_until = int(last) if hyphen else inside_until
        form = columns[1].translate(REMOVE)
        if not expected.startswith(form, place):
            raise Leaves(number, "from here on it has other characters than the raw text")
        place += len(form)
    if place != len(expected):
        raise Leaves(None, "it ends before the raw text does")


def check_text(content: bytes, text: str) -> None:
    try:
        found = content.decode("utf-8").translate(REMOVE)
    except UnicodeDecodeError as error:
        raise Leaves(content[: error.start].count(b"\n") + 1, "it is not UTF-8") from None
    if found != text.translate(REMOVE):
        raise Leaves(None, "apart from white space it has other characters than the raw text")
