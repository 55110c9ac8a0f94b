"""Breakdowns of several files, added up, and for each relation the test set where it is wrong most.

In: the analyses of some files, of one run or of many. Out: `Sum`. Which analyses there are for a viewer is
asked anew each time (`analysed.py`); what they add up to never changes, so that each process keeps the last.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from evaluation import PROFILES
from evaluation.scoring.breakdown import Breakdowns
from evaluation.scoring.groups import METRICS
from sharedtask.analysis.models import Analysis

KEPT = 100
"""Sums that a process keeps, a tenth of a megabyte each."""

_GOLD, _SYSTEM = 1, 2
_FIRST_METRIC = 4
"""Places in `Group.as_list`."""
_BY_FREQUENCY = ("relation", "subtype", "upos")

Rows = list[list[Any]]
Told = Mapping[str, Rows]


@dataclass(frozen=True, kw_only=True)
class Worst:
    """The test set in which most gold words of a relation are wrong."""

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
    rows = list(
        made.values_list("score__file__test_set__code", "breakdowns", "score__gold__test_set__task__profile")
    )
    found = [(code, told) for code, told, _ in rows]
    files = [told for _, told in found]
    metric = PROFILES[rows[0][2]].breakdown[0]
    added = {name: rows_added(files, name) for name in files[0] if name != "confusion"}
    return Sum(
        breakdowns=Breakdowns.from_dict(added | {"confusion": confusion_added(files)}),
        worst=worst_by_relation(found, metric),
    )


def rows_added(files: Iterable[Told], name: str) -> Rows:
    """Rows of lists of integers add up faster than the objects that are made of them."""
    added: dict[str, list[int]] = {}
    for told in files:
        for label, *numbers in told[name]:
            before = added.get(label)
            added[label] = (
                numbers if before is None else [a + b for a, b in zip(before, numbers, strict=True)]
            )
    rows: Rows = [[label, *numbers] for label, numbers in added.items()]
    if name in _BY_FREQUENCY:
        rows.sort(key=lambda row: (-row[_GOLD], -row[_SYSTEM], row[0]))
    return rows


def confusion_added(files: Iterable[Told]) -> Rows:
    added: dict[tuple[str, str], int] = {}
    for told in files:
        for gold, system, count in told["confusion"]:
            added[gold, system] = added.get((gold, system), 0) + count
    return [[gold, system, count] for (gold, system), count in added.items()]


def worst_by_relation(found: Iterable[tuple[str, Told]], metric: str) -> dict[str, Worst]:
    correct = _FIRST_METRIC + 2 * METRICS.index(metric)
    worst: dict[str, Worst] = {}
    for code, told in found:
        for row in told["relation"]:
            label, wrong = row[0], row[_GOLD] - row[correct]
            if wrong > 0 and (label not in worst or worst[label].wrong < wrong):
                worst[label] = Worst(code=code, wrong=wrong)
    return worst
