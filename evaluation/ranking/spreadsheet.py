"""Protect CSV text from being evaluated as a formula by a spreadsheet.

In: untrusted text. Out: the same text, with an apostrophe in front if it could be evaluated. Some programs
accept full-width and other variants of a sign, and skip invisible characters before it.
"""

from __future__ import annotations

import unicodedata

SIGNS = frozenset("=+-@")
# Some spreadsheets start a new cell after these.
BREAKS = ("\t", "\r", "\n")
INVISIBLE = ("C", "Z")


def as_csv_text(text: str) -> str:
    return f"'{text}" if text.startswith(BREAKS) or looks_like_formula(text) else text


def looks_like_formula(text: str) -> bool:
    """The first character is normalised alone, because a sign could combine with a following mark."""
    visible = (character for character in text if unicodedata.category(character)[0] not in INVISIBLE)
    return unicodedata.normalize("NFKC", next(visible, ""))[:1] in SIGNS
