"""The query parameters of the sentence browser, and addresses with some of them changed.

In: the query of an address. Out: `SentenceQuery`. Values that make no sense count as the defaults, so that
every address opens a page; defaults are left out of addresses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict

MAX_SYSTEMS = 6
"""More trees than these, one below the other, are not readable."""
LONGEST_TEXT = 200
SHOW: Mapping[str, str] = {
    "": "all sentences",
    "wrong": "with an error",
    "right": "without errors",
    "disagree": "where systems disagree",
    "only": "with a word that only this system gets wrong",
    "everyone": "with a word that every system gets wrong",
}
ARC: Mapping[str, str] = {"": "is wrong", "gold": "is in gold"}
SORT: Mapping[str, str] = {
    "": "most errors first",
    "share": "most errors per word first",
    "errors": "fewest errors first",
    "order": "as in the file",
}


@dataclass(frozen=True, kw_only=True)
class SentenceQuery:
    system: tuple[str, ...] = ()
    show: str = ""
    q: str = ""
    relation: str = ""
    arc: str = ""
    """Whether the relation is searched among the errors or in gold."""
    error: str = ""
    """An error class: only sentences in which an examined system gets the head of such a word wrong."""
    min: int | None = None
    max: int | None = None
    """Words in the gold sentence."""
    nonprojective: bool = False
    segmentation: bool = False
    sort: str = ""
    """One of `SORT`; or a metric: the worst sentences first, or with a minus the best."""
    full: str = ""
    """A metric: only sentences that are complete by it; with a minus, only those that are not."""
    phase: str = ""
    track: str = ""
    ranking: str = ""

    def as_url(self, **more: Any) -> str:
        """The end of an address, with its question mark; empty if everything has its default."""
        defaults = SentenceQuery()
        parameters = {
            field.name: value
            for field in fields(self)
            if (value := getattr(self, field.name)) != getattr(defaults, field.name)
        }
        values = {name: 1 if value is True else value for name, value in (parameters | more).items()}
        return "?" + urlencode(values, doseq=True) if values else ""

    @property
    def sorting_metric(self) -> str:
        """The metric that sentences are sorted by, if there is such a metric."""
        return "" if self.sort in SORT else self.sort.removeprefix("-")

    @property
    def has_further_filters(self) -> bool:
        """Those in the part of the form that is closed otherwise."""
        has_length = self.min is not None or self.max is not None
        texts = self.relation or self.error or self.full
        return bool(texts or has_length or self.nonprojective or self.segmentation)

    def permanent(self) -> SentenceQuery:
        """What decides what a page of one sentence shows, without the way to it."""
        return SentenceQuery(system=self.system, phase=self.phase, track=self.track, ranking=self.ranking)

    def toggle_system(self, id: str) -> SentenceQuery:
        """With this system, or without it. Beyond the maximum, the first one is dropped."""
        if id in self.system:
            return replace(self, system=tuple(each for each in self.system if each != id))
        return replace(self, system=(*self.system, id)[-MAX_SYSTEMS:])


def parse_query(query: QueryDict) -> SentenceQuery:
    def choice(name: str, choices: Mapping[str, str]) -> str:
        value = query.get(name, "")
        return value if value in choices else ""

    systems = tuple(dict.fromkeys(value for value in query.getlist("system") if value))
    return SentenceQuery(
        system=systems[:MAX_SYSTEMS],
        show=choice("show", SHOW),
        q=query.get("q", "").strip().replace("\0", "")[:LONGEST_TEXT],
        relation=query.get("relation", "").replace("\0", "")[:LONGEST_TEXT],
        arc=choice("arc", ARC),
        error=query.get("error", "").replace("\0", "")[:LONGEST_TEXT],
        min=parse_number(query.get("min")),
        max=parse_number(query.get("max")),
        nonprojective=bool(query.get("nonprojective")),
        segmentation=bool(query.get("segmentation")),
        sort=query.get("sort", "").replace("\0", "")[:LONGEST_TEXT],
        full=query.get("full", "").replace("\0", "")[:LONGEST_TEXT],
        phase=query.get("phase", "")[:LONGEST_TEXT],
        track=query.get("track", "")[:LONGEST_TEXT],
        ranking=query.get("ranking", "")[:LONGEST_TEXT],
    )


def parse_number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 9 else None
