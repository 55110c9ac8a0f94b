"""Compute the averages of a run from the counts of its files, as the profile of the task says.

In: the task, the test sets that count, and the counts of each scored file by the code of its test set. Out:
unrounded fractions by metric. The task's policy decides how a test set without counts (missing or invalid)
is treated.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from evaluation import Tally
from evaluation.ranking.aggregate import Policy, macro_average
from evaluation.ranking.averaging import average_of_counts, averaging_by
from evaluation.scoring.profile import Averaging
from evaluation.scoring.profiles import definitions
from sharedtask.competition.metrics import metrics_of, options_of, presentation_of, profile_of
from sharedtask.competition.models import Task, TestSet
from sharedtask.competition.tracks import NO_TRACK
from sharedtask.submissions.models import Score

FileCounts = Mapping[str, Mapping[str, Any]]
"""Per metric the integers gold, system, correct, aligned; of a metric without counts, its figure."""


def average(
    task: Task,
    test_sets: Collection[TestSet],
    counts: Mapping[str, FileCounts],
    *,
    metrics: Collection[str] | None = None,
    track: str = NO_TRACK,
) -> dict[str, float]:
    """By all metrics of the profile or of a track, or by some of them; without test sets by none."""
    if not test_sets:
        return {}
    metrics = metrics_of(task, track) if metrics is None else metrics
    profile = profile_of(task)
    defined = definitions(profile, options_of(task))
    return {
        metric: average_by(task, metric, averaging_by(profile, defined[metric]), test_sets, counts)
        for metric in metrics
    }


def average_by(
    task: Task,
    metric: str,
    averaging: Averaging,
    test_sets: Collection[TestSet],
    counts: Mapping[str, FileCounts],
) -> float:
    """The same as in standings."""
    policy: Policy = "zero" if task.missing_policy == Task.MissingPolicy.ZERO else "exclude"
    by_code = {test_set.code: counts.get(test_set.code, {}).get(metric) for test_set in test_sets}
    if averaging == "figures":
        figures = {code: figure_of(file) for code, file in by_code.items()}
        return macro_average(figures, policy, presentation_of(task, metric))
    tallies = {
        code: Tally(file["gold"], file["system"], file["correct"]) if file else None
        for code, file in by_code.items()
    }
    sets = {test_set.code: test_set for test_set in test_sets}
    return average_of_counts(tallies, averaging, policy, lambda code: gold_size(sets[code], metric))


def gold_size(test_set: TestSet, metric: str) -> int:
    """How many gold items a metric counts, known from any file; 0 if none has been scored."""
    scores = Score.objects.done().filter(gold=test_set.gold_in_force_id).values_list("counts", flat=True)
    counts = scores.first()
    return int(counts[metric]["gold"]) if counts and metric in counts else 0


def figure_of(counts: Mapping[str, Any] | None) -> float | None:
    """None for a file without counts, which is missing or invalid."""
    if not counts:
        return None
    if "figure" in counts:
        return float(counts["figure"])
    total = counts["system"] + counts["gold"]
    return 2 * counts["correct"] / total if total else 0.0
