"""Compute the macro-averages of a run from the counts of its files.

In: the task, the test sets that count, and the counts of each scored file by the code of its test set. Out:
`Averages`, unrounded fractions. The task's policy decides how a test set without counts (missing or invalid)
is treated.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from evaluation.ranking.aggregate import Policy, macro_average
from sharedtask.competition.metrics import profile_of
from sharedtask.competition.models import Task, TestSet

FileCounts = Mapping[str, Mapping[str, Any]]
"""Per metric the integers gold, system, correct, aligned."""


@dataclass(frozen=True, kw_only=True)
class Averages:
    all: Mapping[str, float]
    groups: Mapping[str, Mapping[str, float]]
    """Only groups that have a test set."""


def average(
    task: Task,
    test_sets: Collection[TestSet],
    counts: Mapping[str, FileCounts],
    *,
    metrics: Collection[str] | None = None,
) -> Averages:
    """By all metrics of the profile, or by some of them."""
    metrics = profile_of(task).metrics if metrics is None else metrics
    policy: Policy = "zero" if task.missing_policy == Task.MissingPolicy.ZERO else "exclude"

    def averages_over(chosen: Collection[TestSet]) -> dict[str, float]:
        return {
            metric: macro_average(
                {test_set.code: f1(counts.get(test_set.code, {}).get(metric)) for test_set in chosen},
                policy=policy,
            )
            for metric in metrics
        }

    groups = {
        group: [test_set for test_set in test_sets if group in test_set.groups] for group in task.groups
    }
    return Averages(
        all=averages_over(test_sets) if test_sets else {},
        groups={group: averages_over(chosen) for group, chosen in groups.items() if chosen},
    )


def f1(counts: Mapping[str, int] | None) -> float | None:
    """None for a file without counts, which is missing or invalid."""
    if not counts:
        return None
    total = counts["system"] + counts["gold"]
    return 2 * counts["correct"] / total if total else 0.0
