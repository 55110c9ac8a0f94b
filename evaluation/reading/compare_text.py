"""The characters of a file against the raw text that was given out, all white space left aside.

In: a treebank and a text. Out: a report of the first place where they part, empty where they never do. Both
are compared as bytes, of which strings are made only around that place.
"""

from __future__ import annotations

import numpy as np

from .characters import occurring, place_of_unmarked
from .difference_hint import difference_hint
from .fields import PADDING, Bytes, indices, padded
from .incidents import Incident, Report, visible
from .treebank import Treebank

# The property White_Space of Unicode; Python's str.isspace counts four control characters more.
WHITE_SPACE = (
    "\t\n\v\f\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
)
WHITE_SPACE_BYTES = tuple(map(str.encode, WHITE_SPACE))
_SHOWN = 20
_SHOWN_BEFORE = 4
_PIECE = 1 << 20


class _Text:
    """A text, and what is left of it without white space."""

    def __init__(self, data: Bytes) -> None:
        self._data = data
        self._size = len(data) - PADDING
        self._space = occurring(data, WHITE_SPACE_BYTES)
        self.kept: Bytes = data[: self._size] if self._space is None else data[: self._size][~self._space]

    def place(self, kept_byte: int) -> int:
        """The byte of the text at which a byte of what is left of it stands; its end for the end."""
        if self._space is None:
            return kept_byte
        return place_of_unmarked(self._space, kept_byte)

    def characters_before(self, byte: int) -> int:
        return sum(
            _count_characters(self._data[at : min(at + _PIECE, byte)]) for at in range(0, byte, _PIECE)
        )

    def around(self, kept_byte: int) -> tuple[str, int]:
        """Some characters around a place without white space, and where among them the place is."""
        begin = _back(self.kept, kept_byte, _SHOWN_BEFORE)
        before = self.kept[begin:kept_byte].tobytes().decode("utf-8", "replace")
        # Four bytes hold any character; what is cut off at the end is more than is shown.
        end = kept_byte + 4 * (2 * _SHOWN + 1)
        behind = self.kept[kept_byte:end].tobytes().decode("utf-8", "replace")
        return before + behind[: 2 * _SHOWN], len(before)


def compare_with_raw_text(treebank: Treebank, text: bytes) -> Report:
    """The report of where the tokens leave the text, empty where they never do."""
    surface = treebank.surface_ascii
    found, expected = _Text(surface.data), _Text(padded(text))
    if np.array_equal(found.kept, expected.kept):
        return Report(treebank.name)
    byte = _first_difference(found.kept, expected.kept)
    token = int(np.searchsorted(surface.start, found.place(byte), side="right")) - 1
    row = int(treebank.token_rows[min(token, treebank.tokens - 1)])
    incident = Incident(
        "text-differs",
        int(treebank.layout.line[row]) + 1,
        int(treebank.layout.sentence[row]) + 1,
        _excerpt(found, byte),
        _excerpt(expected, byte),
        _advice(found, expected, byte),
    )
    return Report(treebank.name, (incident,), {"text-differs": 1})


def _first_difference(left: Bytes, right: Bytes) -> int:
    """The first byte of the character at which two different texts part."""
    shorter = min(len(left), len(right))
    byte = shorter
    for begin in range(0, shorter, _PIECE):
        end = min(begin + _PIECE, shorter)
        differing = indices(left[begin:end] != right[begin:end])
        if len(differing):
            byte = begin + int(differing[0])
            break
    # Up to there both are the same, so that either tells where the character begins.
    longer = left if len(left) > byte else right
    return byte if _begins_character(longer, byte) else _back(longer, byte, 1)


def _begins_character(text: Bytes, byte: int) -> bool:
    return bool((text[byte] & 0xC0) != 0x80)


def _back(text: Bytes, byte: int, characters: int) -> int:
    """The byte at which so many characters before another one begin."""
    while byte and characters:
        byte -= 1
        characters -= _begins_character(text, byte)
    return byte


def _count_characters(piece: Bytes) -> int:
    return int(np.count_nonzero((piece & 0xC0) != 0x80))


def _excerpt(text: _Text, byte: int) -> str:
    around, _ = text.around(byte)
    return f"“{visible(around[:_SHOWN])}”" if byte < len(text.kept) else "the end of the text"


def _advice(found: _Text, expected: _Text, byte: int) -> str:
    position = expected.characters_before(expected.place(byte))
    said = f"Your tokens diverge from the raw text at character {position + 1:,}."
    if byte == len(found.kept):
        return f"{said} The file seems to end too early."
    if byte == len(expected.kept):
        return f"{said} The file continues after the end of the text."
    (ours, place), (theirs, _) = found.around(byte), expected.around(byte)
    return f"{said} {difference_hint(ours, theirs, place)}".rstrip()
