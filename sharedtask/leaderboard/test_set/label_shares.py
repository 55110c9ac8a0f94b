"""How often tags and relations come in a gold file, as shares of its words; rare ones are put together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evaluation.scoring.statistics import Statistics

MOST = 17
"""So many are told one by one: as many as there are parts of speech."""


@dataclass(frozen=True, kw_only=True)
class Share:
    name: str
    count: int
    share: str
    """In per cent."""
    width: str
    """Of its bar, out of 100; the most frequent one has the longest."""


def tables(gold: Statistics) -> list[tuple[str, list[Share]]]:
    return [("Part of speech", shares(gold.upos)), ("Relation", shares(gold.relations))]


def shares(counts: Mapping[str, int]) -> list[Share]:
    whole, most = sum(counts.values()) or 1, max(counts.values(), default=1)
    frequent, rare = dict(list(counts.items())[:MOST]), list(counts.values())[MOST:]
    if rare:
        frequent[f"{len(rare)} others"] = sum(rare)
    return [
        Share(
            name=name,
            count=count,
            share=f"{100 * count / whole:.1f}",
            width=f"{min(100.0, 100 * count / most):.1f}",
        )
        for name, count in frequent.items()
    ]
