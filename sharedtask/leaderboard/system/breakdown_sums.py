"""Breakdowns of several outputs, added up, and for each relation the test set with most of its errors.

In: the analyses of some outputs, of one run or of several. Out: a `BreakdownSum`. Which analyses a viewer may
see is checked for every request (`analyses.py`); their sum never changes, so each process caches the last.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from evaluation import PROFILES, Profile
from evaluation.errors.count import ErrorCounts
from evaluation.scoring.breakdown import Breakdowns
from sharedtask.analysis.models import Analysis
from sharedtask.core.cache import LRUCache
from sharedtask.leaderboard.system.error_classes import ErrorsBySet, Tallies, sum_errors


@dataclass(frozen=True, kw_only=True)
class WorstTestSet:
    """The test set in which most gold words of a relation are wrong by a metric."""

    code: str
    wrong: int
    is_about_arcs: bool
    """The errors are wrong heads and relations, which the sentence browser can search for."""


@dataclass(frozen=True, kw_only=True)
class BreakdownSum:
    breakdowns: Breakdowns
    worst: Mapping[str, Mapping[str, WorstTestSet]]
    """By metric and relation; without those that are correct everywhere."""
    errors: ErrorsBySet


SUMS: LRUCache[tuple[str, ...], BreakdownSum] = LRUCache(max_size=100)
"""A fifth of a megabyte each."""
CODE = "score__file__test_set__code"
FIELD_ERRORS: LRUCache[tuple[str, ...], ErrorsBySet] = LRUCache(max_size=20)


def sum_breakdowns(analyses: tuple[str, ...]) -> BreakdownSum:
    """One query the first time, none afterwards. Callers got the public ids from `analyses_of`."""
    return SUMS.get_or_make(analyses, lambda: compute_sum(analyses))


def sum_field_errors(analyses: tuple[str, ...]) -> ErrorsBySet:
    """Of all systems on all test sets: their breakdowns, which are larger, are not read."""
    return FIELD_ERRORS.get_or_make(analyses, lambda: compute_field_errors(analyses))


def compute_field_errors(analyses: tuple[str, ...]) -> ErrorsBySet:
    rows = Analysis.objects.filter(public_id__in=analyses).exclude(errors=b"").order_by(CODE)
    counted = (
        (code, ErrorCounts.from_bytes(bytes(errors)).total())
        for code, errors in rows.values_list(CODE, "errors").iterator(chunk_size=100)
    )
    return sum_by_set(counted)


def sum_by_set(counted: Iterable[tuple[str, Tallies]]) -> ErrorsBySet:
    """In: the tallies of outputs, sorted by the code of the test set."""
    return {
        code: sum_errors(tallies for _, tallies in group) for code, group in groupby(counted, itemgetter(0))
    }


def compute_sum(analyses: tuple[str, ...]) -> BreakdownSum:
    stored = Analysis.objects.filter(public_id__in=analyses)
    profile = "score__gold__test_set__task__profile"
    rows = list(stored.order_by(CODE).values_list(CODE, "breakdowns", profile, "errors"))
    outputs = [(code, Breakdowns.from_bytes(bytes(breakdowns))) for code, breakdowns, *_ in rows]
    counted = [(row[0], ErrorCounts.from_bytes(bytes(row[3])).total()) for row in rows if row[3]]
    return BreakdownSum(
        breakdowns=Breakdowns.total([breakdowns for _, breakdowns in outputs]),
        worst=worst_test_sets(outputs, PROFILES[rows[0][2]]),
        errors=sum_by_set(counted),
    )


def worst_test_sets(
    outputs: Sequence[tuple[str, Breakdowns]], profile: Profile
) -> dict[str, dict[str, WorstTestSet]]:
    # An earlier version of the profile may have had other metrics.
    known = [name for name in profile.word_metrics if name in outputs[0][1].metrics]
    worst: dict[str, dict[str, WorstTestSet]] = {name: {} for name in known}
    for code, breakdowns in outputs:
        for name, of_metric in worst.items():
            is_about_arcs = profile.word_metrics[name].is_about_arcs
            for label, tally in breakdowns.relation.groups(name):
                if tally.wrong > (of_metric[label].wrong if label in of_metric else 0):
                    of_metric[label] = WorstTestSet(code=code, wrong=tally.wrong, is_about_arcs=is_about_arcs)
    return worst
