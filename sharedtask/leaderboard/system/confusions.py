"""Which relations a system confuses: a small heat map, and the most frequent confusions as a list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.scoring.groups import Confusion

MAX_LABELS = 14
MAX_MISTAKES = 8
SHADES = 6
"""Of the heat map; the lowest is nearly invisible."""


@dataclass(frozen=True, kw_only=True)
class ConfusionCell:
    count: int
    shade: int | None
    """None on the diagonal, where nothing is confused."""
    share: float
    """Of the gold words of the row."""


@dataclass(frozen=True, kw_only=True)
class ConfusionRow:
    gold: str
    words: int
    cells: tuple[ConfusionCell, ...]


@dataclass(frozen=True, kw_only=True)
class Mistake:
    gold: str
    system: str
    count: int
    share: float
    """Of all aligned words that have this relation in gold."""


@dataclass(frozen=True, kw_only=True)
class ConfusionMap:
    labels: tuple[str, ...]
    rows: tuple[ConfusionRow, ...]
    mistakes: tuple[Mistake, ...]
    left_out: int
    """Relations with fewer confusions."""


def confusion_map(confusion: Confusion) -> ConfusionMap | None:
    """None if no relation was confused with another."""
    mistaken = confusion.confusions()
    if not mistaken:
        return None
    confusions_of: Counter[str] = Counter()
    words_of: Counter[str] = Counter()
    for gold, system, count in mistaken:
        confusions_of.update({gold: count, system: count})
    for (gold, _), count in confusion.counts.items():
        words_of[gold] += count
    labels = sorted(confusions_of, key=lambda label: (-confusions_of[label], label))[:MAX_LABELS]
    max_count = mistaken[0][2]
    return ConfusionMap(
        labels=tuple(labels),
        rows=tuple(confusion_row(confusion, gold, labels, words_of[gold], max_count) for gold in labels),
        mistakes=tuple(
            Mistake(gold=gold, system=system, count=count, share=count / words_of[gold])
            for gold, system, count in mistaken[:MAX_MISTAKES]
        ),
        left_out=max(len(confusions_of) - MAX_LABELS, 0),
    )


def confusion_row(
    confusion: Confusion, gold: str, labels: Sequence[str], words: int, max_count: int
) -> ConfusionRow:
    cells = []
    for system in labels:
        count = confusion.counts.get((gold, system), 0)
        shade = None if gold == system else shade_of(count, max_count)
        cells.append(ConfusionCell(count=count, shade=shade, share=count / words if words else 0.0))
    return ConfusionRow(gold=gold, words=words, cells=tuple(cells))


def shade_of(count: int, max_count: int) -> int:
    """By the square root, because a few confusions are far more frequent than all others."""
    return round(SHADES * (count / max_count) ** 0.5)
