"""Compare the characters of a file with the raw text, ignoring all white space.

In: a treebank and a text. Out: a report of the first difference, empty if there is none. Both are compared as
bytes; only the surroundings of the difference are decoded.
"""

from __future__ import annotations

import numpy as np

from .characters import find_characters, position_of_unmarked
from .difference_hint import difference_hint
from .fields import PADDING, Bytes, indices, pad
from .incidents import Incident, Report, visible
from .treebank import Treebank

# The property White_Space of Unicode; Python's str.isspace also includes four control characters.
WHITE_SPACE = (
    "\t\n\v\f\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
)
WHITE_SPACE_BYTES = tuple(map(str.encode, WHITE_SPACE))
_EXCERPT = 20
_EXCERPT_BEFORE = 4
_PIECE = 1 << 20


class _Text:
    """A text with and without white space."""

    def __init__(self, data: Bytes) -> None:
        self._data = data
        self._size = len(data) - PADDING
        self._space = find_characters(data, WHITE_SPACE_BYTES)
        text = data[: self._size]
        self.characters: Bytes = text if self._space is None else text[~self._space]

    def position(self, byte: int) -> int:
        """The position in the full text of a byte of the text without white space."""
        if self._space is None:
            return byte
        return position_of_unmarked(self._space, byte)

    def characters_before(self, byte: int) -> int:
        return sum(
            _count_characters(self._data[at : min(at + _PIECE, byte)]) for at in range(0, byte, _PIECE)
        )

    def around(self, byte: int) -> tuple[str, int]:
        """Some characters around a byte, without white space, and the index of its character in them."""
        begin = _step_back(self.characters, byte, _EXCERPT_BEFORE)
        before = self.characters[begin:byte].tobytes().decode("utf-8", "replace")
        # Four bytes hold any character; a character cut at the end is beyond the excerpt.
        end = byte + 4 * (2 * _EXCERPT + 1)
        after = self.characters[byte:end].tobytes().decode("utf-8", "replace")
        return before + after[: 2 * _EXCERPT], len(before)


def compare_with_raw_text(treebank: Treebank, text: bytes) -> Report:
    """Report the first difference between the tokens and the text, if there is one."""
    surface = treebank.surface_ascii
    found, expected = _Text(surface.data), _Text(pad(text))
    if np.array_equal(found.characters, expected.characters):
        return Report(treebank.name)
    byte = _first_difference(found.characters, expected.characters)
    token = int(np.searchsorted(surface.start, found.position(byte), side="right")) - 1
    row = int(treebank.token_rows[min(token, treebank.tokens - 1)])
    incident = Incident(
        "text-differs",
        int(treebank.layout.line[row]) + 1,
        int(treebank.layout.sentence[row]) + 1,
        _excerpt(found, byte),
        _excerpt(expected, byte),
        _hint(found, expected, byte),
    )
    return Report(treebank.name, (incident,), {"text-differs": 1})


def _first_difference(left: Bytes, right: Bytes) -> int:
    """The first byte of the first character in which two texts differ."""
    shorter = min(len(left), len(right))
    byte = shorter
    for begin in range(0, shorter, _PIECE):
        end = min(begin + _PIECE, shorter)
        differing = indices(left[begin:end] != right[begin:end])
        if len(differing):
            byte = begin + int(differing[0])
            break
    # Both are the same up to there, so that either of them shows where the character begins.
    longer = left if len(left) > byte else right
    return byte if _begins_character(longer, byte) else _step_back(longer, byte, 1)


def _begins_character(text: Bytes, byte: int) -> bool:
    return bool((text[byte] & 0xC0) != 0x80)


def _step_back(text: Bytes, byte: int, characters: int) -> int:
    """The first byte of the character that is this many characters before a byte."""
    while byte and characters:
        byte -= 1
        characters -= _begins_character(text, byte)
    return byte


def _count_characters(piece: Bytes) -> int:
    return int(np.count_nonzero((piece & 0xC0) != 0x80))


def _excerpt(text: _Text, byte: int) -> str:
    around, _ = text.around(byte)
    return f"“{visible(around[:_EXCERPT])}”" if byte < len(text.characters) else "the end of the text"


def _hint(found: _Text, expected: _Text, byte: int) -> str:
    position = expected.characters_before(expected.position(byte))
    hint = f"Your tokens diverge from the raw text at character {position + 1:,}."
    if byte == len(found.characters):
        return f"{hint} The file seems to end too early."
    if byte == len(expected.characters):
        return f"{hint} The file continues after the end of the text."
    (ours, place), (theirs, _) = found.around(byte), expected.around(byte)
    return f"{hint} {difference_hint(ours, theirs, place)}".rstrip()
