"""Figures of the runs that go into a standing, from the counts of their files; without intervals.

In: the inputs of a standing and a metric. Out: counts, or macro-averages under the task's policy for missing
files. Reads stored scores and opens no gold.
"""

from __future__ import annotations

from collections.abc import Mapping

from django.db.models.fields.json import KeyTransform

from sharedtask.competition.metrics import metrics_of
from sharedtask.standings.entries import Inputs
from sharedtask.submissions.average import average
from sharedtask.submissions.models import Score


def averages_of(inputs: Inputs, metric: str) -> dict[str, float]:
    """Macro-averages over all test sets by the public id of the run, in one query.

    None if this version of the profile has no such metric.
    """
    if metric not in metrics_of(inputs.phase.task, inputs.track):
        return {}
    counts = counts_of(inputs, metric)
    averages = {}
    for entry in inputs.entries:
        by_code = {
            code: {metric: counts[file.score]} for code, file in entry.files.items() if file.score in counts
        }
        if by_code and not any(file[metric] for file in by_code.values()):
            # Another version of the profile had no such metric.
            continue
        average_of_run = average(inputs.phase.task, inputs.test_sets, by_code, metrics=(metric,))
        averages[entry.run.public_id] = average_of_run.get(metric, 0.0)
    return averages


def counts_of(inputs: Inputs, metric: str) -> dict[str, Mapping[str, int]]:
    """By the public id of the score, in one query."""
    scores = [file.score for entry in inputs.entries for file in entry.files.values() if file.score]
    stored = Score.objects.filter(public_id__in=scores).values_list(
        "public_id", KeyTransform(metric, "counts")
    )
    return dict(stored)
