"""Which relations a system takes for which: a small heat map, and the most frequent ones in words."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from evaluation.scoring.groups import Confusion

SHOWN = 14
NAMED = 8
STEPS = 6
"""Shades of the heat map; the lowest is nearly none."""


@dataclass(frozen=True, kw_only=True)
class Cell:
    count: int
    shade: int | None
    """None on the diagonal, where nothing is mistaken."""
    share: float
    """Of the gold words of the row."""


@dataclass(frozen=True, kw_only=True)
class Row:
    gold: str
    words: int
    cells: tuple[Cell, ...]


@dataclass(frozen=True, kw_only=True)
class Mistake:
    gold: str
    system: str
    count: int
    share: float
    """Of all aligned words that have this relation in gold."""


@dataclass(frozen=True, kw_only=True)
class Map:
    labels: tuple[str, ...]
    rows: tuple[Row, ...]
    mistakes: tuple[Mistake, ...]
    left_out: int
    """Relations with fewer confusions."""


def confusion_map(confusion: Confusion) -> Map | None:
    """None where no relation was mistaken for another."""
    mistaken = confusion.confusions()
    if not mistaken:
        return None
    involved: Counter[str] = Counter()
    words: Counter[str] = Counter()
    for gold, system, count in mistaken:
        involved.update({gold: count, system: count})
    for (gold, _), count in confusion.counts.items():
        words[gold] += count
    labels = sorted(involved, key=lambda label: (-involved[label], label))[:SHOWN]
    most = mistaken[0][2]
    return Map(
        labels=tuple(labels),
        rows=tuple(row(confusion, gold, labels, words[gold], most) for gold in labels),
        mistakes=tuple(
            Mistake(gold=gold, system=system, count=count, share=count / words[gold])
            for gold, system, count in mistaken[:NAMED]
        ),
        left_out=max(len(involved) - SHOWN, 0),
    )


def row(confusion: Confusion, gold: str, labels: list[str], words: int, most: int) -> Row:
    cells = []
    for system in labels:
        count = confusion.counts.get((gold, system), 0)
        shade = None if gold == system else shade_of(count, most)
        cells.append(Cell(count=count, shade=shade, share=count / words if words else 0.0))
    return Row(gold=gold, words=words, cells=tuple(cells))


def shade_of(count: int, most: int) -> int:
    """By the square root, for a few confusions are far more frequent than all others."""
    return round(STEPS * (count / most) ** 0.5)
