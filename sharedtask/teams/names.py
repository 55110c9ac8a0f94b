"""Names of teams and systems: printable, on one line, and not confusable with one another."""

from __future__ import annotations

import unicodedata

from evaluation.ranking.spreadsheet import looks_like_formula
from sharedtask.core.errors import Refusal

LOOK_ALIKE = str.maketrans(
    "АВЕЅІЈКМНОРСТУХаеѕіјорсухԁԛԝ" + "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧονρ",
    "ABESIJKMHOPCTYXaesijopcyxdqw" + "ABEZHIKMNOPTYXovp",
)
"""Cyrillic and Greek letters that most fonts draw like Latin ones."""


def clean_name(name: str) -> str:
    """Collapse white space; refuse control characters and characters that change the writing direction."""
    name = " ".join(name.split())
    if not name.isprintable():
        raise Refusal("name-unprintable", "The name contains invisible characters.", found=ascii(name))
    # A spreadsheet that opens a table of results would evaluate such a name.
    if looks_like_formula(name):
        raise Refusal("name-as-formula", "The name must begin with a letter or a digit.", found=name)
    return name


def lookalike_key(name: str) -> str:
    """Equal for names that a reader could mistake for each other."""
    plain = unicodedata.normalize("NFKC", name).translate(LOOK_ALIKE).casefold()
    return "".join(character for character in plain if character.isalnum()) or plain
