"""Breakdowns of several outputs, added up, and for each relation the test set with most of its errors.

In: the analyses of some outputs, of one run or of several. Out: a `BreakdownSum`. Which analyses a viewer may
see is checked for every request (`analyses.py`); their sum never changes, so each process caches the last.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from evaluation import PROFILES
from evaluation.scoring.breakdown import Breakdowns
from evaluation.scoring.groups import METRICS
from sharedtask.analysis.models import Analysis
from sharedtask.core.cache import LRUCache

_GOLD, _SYSTEM = 1, 2
_FIRST_METRIC = 4
"""Indexes in `Group.as_list`."""
_BY_FREQUENCY = ("relation", "subtype", "upos")

Rows = list[list[Any]]
StoredBreakdowns = Mapping[str, Rows]


@dataclass(frozen=True, kw_only=True)
class WorstTestSet:
    """The test set in which most gold words of a relation are wrong."""

    code: str
    wrong: int


@dataclass(frozen=True, kw_only=True)
class BreakdownSum:
    breakdowns: Breakdowns
    worst: Mapping[str, WorstTestSet]
    """By relation; without those that are correct everywhere."""


SUMS: LRUCache[tuple[str, ...], BreakdownSum] = LRUCache(max_size=100)
"""A tenth of a megabyte each."""


def sum_breakdowns(analyses: tuple[str, ...]) -> BreakdownSum:
    """One query the first time, none afterwards. Callers got the public ids from `analyses_of`."""
    return SUMS.get_or_make(analyses, lambda: compute_sum(analyses))


def compute_sum(analyses: tuple[str, ...]) -> BreakdownSum:
    stored = Analysis.objects.filter(public_id__in=analyses)
    code, profile = "score__file__test_set__code", "score__gold__test_set__task__profile"
    rows = list(stored.order_by(code).values_list(code, "breakdowns", profile))
    by_code = [(code, breakdowns) for code, breakdowns, _ in rows]
    outputs = [breakdowns for _, breakdowns in by_code]
    metric = PROFILES[rows[0][2]].breakdown[0]
    sums = {name: add_rows(outputs, name) for name in outputs[0] if name != "confusion"}
    return BreakdownSum(
        breakdowns=Breakdowns.from_dict(sums | {"confusion": add_confusions(outputs)}),
        worst=worst_by_relation(by_code, metric),
    )


def add_rows(outputs: Iterable[StoredBreakdowns], name: str) -> Rows:
    """Lists of integers are added faster than the objects that are made of them."""
    sums: dict[str, list[int]] = {}
    for breakdowns in outputs:
        for label, *numbers in breakdowns[name]:
            before = sums.get(label)
            sums[label] = numbers if before is None else [a + b for a, b in zip(before, numbers, strict=True)]
    rows: Rows = [[label, *numbers] for label, numbers in sums.items()]
    if name in _BY_FREQUENCY:
        rows.sort(key=lambda row: (-row[_GOLD], -row[_SYSTEM], row[0]))
    return rows


def add_confusions(outputs: Iterable[StoredBreakdowns]) -> Rows:
    sums: dict[tuple[str, str], int] = {}
    for breakdowns in outputs:
        for gold, system, count in breakdowns["confusion"]:
            sums[gold, system] = sums.get((gold, system), 0) + count
    return [[gold, system, count] for (gold, system), count in sums.items()]


def worst_by_relation(
    by_code: Iterable[tuple[str, StoredBreakdowns]], metric: str
) -> dict[str, WorstTestSet]:
    correct = _FIRST_METRIC + 2 * METRICS.index(metric)
    worst: dict[str, WorstTestSet] = {}
    for code, breakdowns in by_code:
        for row in breakdowns["relation"]:
            label, wrong = row[0], row[_GOLD] - row[correct]
            if wrong > 0 and (label not in worst or worst[label].wrong < wrong):
                worst[label] = WorstTestSet(code=code, wrong=wrong)
    return worst
