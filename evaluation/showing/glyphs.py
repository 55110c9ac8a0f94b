"""Make text of unknown origin safe to display, and estimate its width.

Forms come from untrusted files. Control characters, bidirectional overrides and code
points that XML forbids are replaced by something visible. The code that writes markup escapes it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache

EMPTY = "∅"

_JOINERS = "\u200c\u200d\u00ad"
_DOTTED_CIRCLE = "◌"
_NARROW = frozenset("fijlrtI.,:;!|'’‘`·()[]{}/\\-1")
_BROAD = frozenset("mwMWQO@%&—…")
# Widths in units of the font size, generous for a sans-serif font: a gap is harmless, an overlap is not.
_WIDE_EM, _BROAD_EM, _CAPITAL_EM, _NARROW_EM, _USUAL_EM, _OTHER_EM = 1.02, 0.92, 0.72, 0.38, 0.6, 0.68


def display_text(text: str, limit: int = 40) -> str:
    """The text without invisible or direction-changing characters, at most `limit` characters long.

    >>> display_text("a\\u202eb"), display_text(""), display_text("\\x1b[2J")
    ('a⟨U+202E⟩b', '∅', '␛[2J')
    """
    shortened = text if len(text) <= limit else text[: limit - 1] + "…"
    visible = "".join(map(_visible, shortened))
    if visible and unicodedata.category(visible[0]).startswith("M"):
        visible = _DOTTED_CIRCLE + visible
    return visible or EMPTY


def em_width(text: str) -> float:
    """The approximate width of the text in a proportional font, in units of the font size."""
    return sum(map(_em, text))


def terminal_width(text: str) -> int:
    """The number of terminal cells that the text occupies."""
    return sum(map(_cells, text))


def is_right_to_left(texts: Iterable[str]) -> bool:
    """Whether the first character with a direction is written from right to left."""
    for text in texts:
        for character in text:
            direction = unicodedata.bidirectional(character)
            if direction in ("L", "R", "AL"):
                return direction != "L"
    return False


@lru_cache(maxsize=4096)
def _visible(character: str) -> str:
    code = ord(character)
    category = unicodedata.category(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    is_no_character = code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF
    is_hidden = category in ("Cc", "Cf", "Cs", "Zl", "Zp") and character not in _JOINERS
    return f"⟨U+{code:04X}⟩" if is_no_character or is_hidden else character


@lru_cache(maxsize=4096)
def _em(character: str) -> float:
    if _cells(character) == 0:
        return 0.0
    if _cells(character) == 2:
        return _WIDE_EM
    if character in _NARROW:
        return _NARROW_EM
    if character in _BROAD:
        return _BROAD_EM
    if character.isupper():
        return _CAPITAL_EM
    return _USUAL_EM if ord(character) < 0x0700 else _OTHER_EM


@lru_cache(maxsize=4096)
def _cells(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
