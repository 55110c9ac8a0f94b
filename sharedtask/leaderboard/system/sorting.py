"""Headings of the table of test sets that say by what it is sorted, and lead to another order."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

UPWARDS = frozenset({"set", "rank"})
"""What one wants to see from its lowest value on, besides metrics whose lower figures are better."""


@dataclass(frozen=True, kw_only=True)
class Heading:
    name: str
    words: str
    asked: str
    """What a press on it asks for."""
    order: str
    """`ascending`, `descending`, or empty where the table is sorted by something else."""


def headings(
    columns: Sequence[tuple[str, str]], asked: str, upwards: Collection[str] = UPWARDS
) -> list[Heading]:
    return [heading(name, words, asked, upwards) for name, words in columns]


def heading(name: str, words: str, asked: str, upwards: Collection[str] = UPWARDS) -> Heading:
    first, second = (name, "-" + name) if name in upwards else ("-" + name, name)
    order = {name: "ascending", "-" + name: "descending"}.get(asked, "")
    return Heading(name=name, words=words, asked=second if asked == first else first, order=order)
