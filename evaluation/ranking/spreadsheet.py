"""Text in tables that are opened in a spreadsheet, which computes what begins like a formula.

In: text from strangers. Out: the same, with an apostrophe in front where it could be computed. Some
spreadsheets take full-width and other forms of a sign for the sign itself, and skip what cannot be seen in
front of it.
"""

from __future__ import annotations

import unicodedata

SIGNS = frozenset("=+-@")
# Some spreadsheets go on behind these as if a new cell began.
BREAKS = ("\t", "\r", "\n")
UNSEEN = ("C", "Z")


def as_csv_text(text: str) -> str:
    return f"'{text}" if text.startswith(BREAKS) or looks_like_formula(text) else text


def looks_like_formula(text: str) -> bool:
    """Each character is taken by itself, for a sign could melt with a mark behind it into another one."""
    seen = (character for character in text if unicodedata.category(character)[0] not in UNSEEN)
    return unicodedata.normalize("NFKC", next(seen, ""))[:1] in SIGNS
