"""The breakdowns of a run over several test sets, added up, and for each relation where it is wrong most.

In: the analyses of some files of a run. Out: `Sum`. Which analyses there are for a viewer is asked anew each
time (`analysed.py`); what they add up to never changes, so that each process keeps the last sums.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from evaluation.scoring.breakdown import Breakdowns
from evaluation.scoring.groups import METRICS
from sharedtask.analysis.models import Analysis

METRIC = "LAS"
"""What makes a word right in breakdowns: its head and its relation."""
KEPT = 100
"""Sums that a process keeps, a tenth of a megabyte each."""

_GOLD, _SYSTEM = 1, 2
_RIGHT = 4 + 2 * METRICS.index(METRIC)
"""Places in `Group.as_list`."""
_BY_FREQUENCY = ("relation", "subtype", "upos")

Rows = list[list[Any]]


@dataclass(frozen=True, kw_only=True)
class Worst:
    """The test set in which most gold words of a relation lack the right head and relation."""

    code: str
    wrong: int


@dataclass(frozen=True, kw_only=True)
class Sum:
    breakdowns: Breakdowns
    worst: Mapping[str, Worst]
    """By relation; one that is right everywhere is not in it."""


@lru_cache(maxsize=KEPT)
def summed(analyses: tuple[str, ...]) -> Sum:
    """One query the first time, none afterwards. Whoever asks has asked `analysed` before."""
    made = Analysis.objects.filter(public_id__in=analyses).order_by("score__file__test_set__code")
    found = dict(made.values_list("score__file__test_set__code", "breakdowns"))
    added = {name: rows_added(found, name) for name in next(iter(found.values())) if name != "confusion"}
    return Sum(
        breakdowns=Breakdowns.from_dict(added | {"confusion": confusion_added(found.values())}),
        worst=worst_by_relation(found),
    )


def rows_added(found: Mapping[str, Mapping[str, Rows]], name: str) -> Rows:
    """Rows of lists of integers add up faster than the objects that are made of them."""
    added: dict[str, list[int]] = {}
    for told in found.values():
        for label, *numbers in told[name]:
            before = added.get(label)
            added[label] = (
                numbers if before is None else [a + b for a, b in zip(before, numbers, strict=True)]
            )
    rows: Rows = [[label, *numbers] for label, numbers in added.items()]
    if name in _BY_FREQUENCY:
        rows.sort(key=lambda row: (-row[_GOLD], -row[_SYSTEM], row[0]))
    return rows


def confusion_added(found: Iterable[Mapping[str, Rows]]) -> Rows:
    added: dict[tuple[str, str], int] = {}
    for told in found:
        for gold, system, count in told["confusion"]:
            added[gold, system] = added.get((gold, system), 0) + count
    return [[gold, system, count] for (gold, system), count in added.items()]


def worst_by_relation(found: Mapping[str, Mapping[str, Rows]]) -> dict[str, Worst]:
    worst: dict[str, Worst] = {}
    for code, told in found.items():
        for row in told["relation"]:
            label, wrong = row[0], row[_GOLD] - row[_RIGHT]
            if wrong > 0 and (label not in worst or worst[label].wrong < wrong):
                worst[label] = Worst(code=code, wrong=wrong)
    return worst
