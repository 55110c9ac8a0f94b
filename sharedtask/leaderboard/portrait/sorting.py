"""Headings of the table of test sets that say by what it is sorted, and lead to another order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

UPWARDS = frozenset({"set", "rank"})
"""What one wants to see from its lowest value on; everything else begins with the highest."""


@dataclass(frozen=True, kw_only=True)
class Heading:
    name: str
    words: str
    asked: str
    """What a press on it asks for."""
    order: str
    """`ascending`, `descending`, or empty where the table is sorted by something else."""


def headings(columns: Sequence[tuple[str, str]], asked: str) -> list[Heading]:
    return [heading(name, words, asked) for name, words in columns]


def heading(name: str, words: str, asked: str) -> Heading:
    first, second = (name, "-" + name) if name in UPWARDS else ("-" + name, name)
    order = {name: "ascending", "-" + name: "descending"}.get(asked, "")
    return Heading(name=name, words=words, asked=second if asked == first else first, order=order)
