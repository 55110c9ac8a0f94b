"""What the address of the sentence browser asks for, and addresses that ask for something a little different.

In: the query of an address. Out: `Wishes`. What makes no sense is taken for what is usual: any address
opens a page; what is usual is left out of addresses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict

MOST_SYSTEMS = 6
"""More trees than these one above the other show nothing any more."""
LONGEST_TEXT = 200
SHOW: Mapping[str, str] = {
    "": "all sentences",
    "wrong": "with an error",
    "right": "without an error",
    "disagree": "where systems disagree",
    "only": "with a word that only this system gets wrong",
    "everyone": "with a word that everyone gets wrong",
}
ARC: Mapping[str, str] = {"": "is wrong", "gold": "is in gold"}
SORT: Mapping[str, str] = {
    "": "most errors first",
    "share": "most errors a word first",
    "errors": "fewest errors first",
    "order": "as in the file",
}


@dataclass(frozen=True, kw_only=True)
class Wishes:
    system: tuple[str, ...] = ()
    show: str = ""
    q: str = ""
    relation: str = ""
    arc: str = ""
    """Whether the relation is looked for among what is wrong, or in gold."""
    min: int | None = None
    max: int | None = None
    """Words in the gold sentence."""
    nonprojective: bool = False
    segmentation: bool = False
    sort: str = ""
    phase: str = ""
    ranking: str = ""

    def query(self, **more: Any) -> str:
        """As the end of an address, with its question mark; empty where all is as usual."""
        usual = Wishes()
        said = {
            field.name: value
            for field in fields(self)
            if (value := getattr(self, field.name)) != getattr(usual, field.name)
        }
        plain = {name: 1 if value is True else value for name, value in (said | more).items()}
        return "?" + urlencode(plain, doseq=True) if plain else ""

    def but(self, **changes: Any) -> Wishes:
        return replace(self, **changes)


def wishes_of(query: QueryDict) -> Wishes:
    def one_of(name: str, known: Mapping[str, str]) -> str:
        value = query.get(name, "")
        return value if value in known else ""

    systems = tuple(dict.fromkeys(value for value in query.getlist("system") if value))
    return Wishes(
        system=systems[:MOST_SYSTEMS],
        show=one_of("show", SHOW),
        q=query.get("q", "").strip().replace("\0", "")[:LONGEST_TEXT],
        relation=query.get("relation", "").replace("\0", "")[:LONGEST_TEXT],
        arc=one_of("arc", ARC),
        min=number(query.get("min")),
        max=number(query.get("max")),
        nonprojective=bool(query.get("nonprojective")),
        segmentation=bool(query.get("segmentation")),
        sort=one_of("sort", SORT),
        phase=query.get("phase", "")[:LONGEST_TEXT],
        ranking=query.get("ranking", "")[:LONGEST_TEXT],
    )


def number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 9 else None
