"""Names of teams and systems: one line that shows what it is, and is not taken for another one."""

from __future__ import annotations

import unicodedata

from evaluation.ranking.spreadsheet import looks_like_formula
from sharedtask.core.errors import Refusal

LOOK_ALIKE = str.maketrans(
    "АВЕЅІЈКМНОРСТУХаеѕіјорсухԁԛԝ" + "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧονρ",
    "ABESIJKMHOPCTYXaesijopcyxdqw" + "ABEZHIKMNOPTYXovp",
)
"""Cyrillic and Greek letters that most fonts draw like Latin ones."""


def tidy(name: str) -> str:
    """One line that shows what it is: no control characters, none that turn the direction of writing."""
    name = " ".join(name.split())
    if not name.isprintable():
        raise Refusal(
            "name-unprintable", "The name contains characters that cannot be seen.", found=ascii(name)
        )
    # Whoever opens a table of results in a spreadsheet would have it computed.
    if looks_like_formula(name):
        raise Refusal("name-as-formula", "Please begin the name with a letter or a digit.", found=name)
    return name


def likeness(name: str) -> str:
    """The same for names that a reader could take for each other."""
    plain = unicodedata.normalize("NFKC", name).translate(LOOK_ALIKE).casefold()
    return "".join(character for character in plain if character.isalnum()) or plain
