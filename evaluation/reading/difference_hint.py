"""Why two texts that should be the same may differ, told from a few characters where they part."""

from __future__ import annotations

import unicodedata
from typing import Literal

# A few characters are enough for a hint, and long runs of combining marks take for ever to normalise.
_LOOKED_AT = 20
_COMPARED = 5


def difference_hint(found: str, expected: str, place: int) -> str:
    """A guess at the reason, or nothing; the texts part at `place`, and both go on there."""
    ours, theirs = (side[max(0, place - 1) : place + _LOOKED_AT] for side in (found, expected))
    if _normal("NFC", ours) == _normal("NFC", theirs):
        return "The letters are the same but are encoded differently: check the Unicode normalization form."
    if _normal("NFKC", ours) == _normal("NFKC", theirs):
        return "A character seems to have been replaced by a similar one."
    if found[place].lower() == expected[place].lower():
        return "Only the case differs: keep the case of the text."
    return ""


def _normal(form: Literal["NFC", "NFKC"], text: str) -> str:
    """The beginning of the text in a normal form: what two ways of writing the same letters share."""
    return unicodedata.normalize(form, text)[:_COMPARED]
