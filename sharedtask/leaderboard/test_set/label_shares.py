"""How frequent tags and relations are in a gold file, as shares of its words; rare ones are combined."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evaluation.scoring.statistics import Statistics
from evaluation.showing.axis import Axis

MAX_ROWS = 17
"""As many as there are parts of speech in Universal Dependencies."""


@dataclass(frozen=True, kw_only=True)
class LabelShare:
    name: str
    count: int
    share: str
    """In percent."""
    width: str
    """Of its bar, out of 100; that of the most frequent label is the longest."""


def label_tables(gold: Statistics) -> list[tuple[str, list[LabelShare]]]:
    return [("Part of speech", label_shares(gold.upos)), ("Relation", label_shares(gold.relations))]


def label_shares(counts: Mapping[str, int]) -> list[LabelShare]:
    """`counts` are sorted, the most frequent label first."""
    total = sum(counts.values()) or 1
    axis = Axis(low=0, high=max(counts.values(), default=1))
    frequent, rare = dict(list(counts.items())[:MAX_ROWS]), list(counts.values())[MAX_ROWS:]
    if rare:
        frequent[f"{len(rare)} others"] = sum(rare)
    return [
        LabelShare(
            name=name,
            count=count,
            share=f"{100 * count / total:.1f}",
            width=f"{100 * axis.position(count):.1f}",
        )
        for name, count in frequent.items()
    ]
