"""Guess why two texts that should be equal differ, from a few characters at the difference."""

from __future__ import annotations

import unicodedata
from typing import Literal

# A few characters are enough for a hint, and long runs of combining marks are slow to normalise.
_EXAMINED = 20
_COMPARED = 5


def difference_hint(found: str, expected: str, place: int) -> str:
    """The likely reason, or an empty string; the texts differ at index `place`, which both have."""
    ours, theirs = (side[max(0, place - 1) : place + _EXAMINED] for side in (found, expected))
    if _normalise("NFC", ours) == _normalise("NFC", theirs):
        return "The letters are the same but are encoded differently: check the Unicode normalization form."
    if _normalise("NFKC", ours) == _normalise("NFKC", theirs):
        return "A character seems to have been replaced by a similar one."
    if found[place].lower() == expected[place].lower():
        return "Only the case differs: keep the case of the text."
    return ""


def _normalise(form: Literal["NFC", "NFKC"], text: str) -> str:
    """The beginning of the text in a normalization form, which is the same for equivalent texts."""
    return unicodedata.normalize(form, text)[:_COMPARED]
