"""Step 6, average: the counts of a run's files become the figures of a leaderboard row.

In: the files of a run, all done, with their test sets. Out: a dictionary of unrounded fractions,
`{"all": {metric: F1}, "groups": {group: {metric: F1}}, "files": {state: number}}`. A missing or invalid file
counts as the task's policy says (zero, unless the task chose otherwise).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

import evaluation
from evaluation.aggregate import Policy, macro_average
from sharedtask.competition.models import Task
from sharedtask.submissions.models import RunFile


def average(task: Task, files: Collection[RunFile]) -> dict[str, Any]:
    metrics = evaluation.PROFILES[task.profile].metrics
    policy: Policy = "zero" if task.missing_policy == Task.MissingPolicy.ZERO else "exclude"

    def averages_over(chosen: Collection[RunFile]) -> dict[str, float]:
        return {
            metric: macro_average(
                {file.test_set.code: f1(file.counts.get(metric)) for file in chosen},
                policy=policy,
            )
            for metric in metrics
        }

    groups = {group: [file for file in files if group in file.test_set.groups] for group in task.groups}
    return {
        "all": averages_over(files),
        "groups": {group: averages_over(chosen) for group, chosen in groups.items() if chosen},
        "files": dict(Counter(file.state for file in files)),
    }


def f1(counts: Mapping[str, int] | None) -> float | None:
    """None for a file without counts, which is a missing or an invalid one."""
    if not counts:
        return None
    total = counts["system"] + counts["gold"]
    return 2 * counts["correct"] / total if total else 0.0
