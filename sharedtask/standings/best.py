"""The ranking `best`: of each team the run with the best average, official or not.

In: the inputs of all scored runs of the test phase and of post-evaluation. Out: those of one run per team.
Because it is chosen by score, after the fact, it is never the ranking of record. If no team has two runs to
choose from, there is no such ranking: it would not differ from the others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from evaluation import Presentation
from evaluation.ranking.aggregate import macro_average
from sharedtask.competition.models import Task
from sharedtask.submissions.average import f1
from sharedtask.submissions.models import Score

if TYPE_CHECKING:
    from sharedtask.standings.inputs import Entry, Inputs


def only_best(inputs: Inputs, metric: str, presentation: Presentation) -> Inputs:
    """One run per team, or none at all if there is nothing to choose."""
    by_team: dict[int, list[Entry]] = defaultdict(list)
    for entry in inputs.entries:
        by_team[entry.run.team_id].append(entry)
    if all(len(entries) == 1 for entries in by_team.values()):
        return replace(inputs, entries=[])
    return best_of_each(by_team, inputs, metric, presentation)


def best_of_each_system(inputs: Inputs, metric: str, presentation: Presentation) -> Inputs:
    """For open phases of tasks that rank the best run."""
    by_system: dict[int, list[Entry]] = defaultdict(list)
    for entry in inputs.entries:
        by_system[entry.run.system_id].append(entry)
    return best_of_each(by_system, inputs, metric, presentation)


def best_of_each(
    groups: Mapping[int, list[Entry]], inputs: Inputs, metric: str, presentation: Presentation
) -> Inputs:
    """Of runs with equal averages, the one that was received first."""
    averages = averages_of(inputs, metric)
    best = [
        min(entries, key=lambda entry: presentation.sort_key(averages[entry.run.pk]))
        for entries in groups.values()
    ]
    return replace(inputs, entries=best)


def averages_of(inputs: Inputs, metric: str) -> dict[int, float]:
    """By the run's key, in one query."""
    public_ids = [file.score for entry in inputs.entries for file in entry.files.values() if file.score]
    scores = Score.objects.filter(public_id__in=public_ids)
    counts = dict(scores.values_list("public_id", f"counts__{metric}"))
    zero = inputs.phase.task.missing_policy == Task.MissingPolicy.ZERO
    return {
        entry.run.pk: macro_average(figures(entry, inputs, counts), "zero" if zero else "exclude")
        for entry in inputs.entries
    }


def figures(
    entry: Entry, inputs: Inputs, counts: Mapping[str, Mapping[str, int]]
) -> Mapping[str, float | None]:
    """F1 by test set; None for a missing or an invalid file."""
    by_code: dict[str, float | None] = {test_set.code: None for test_set in inputs.test_sets}
    for code, file in entry.files.items():
        by_code[code] = f1(counts.get(file.score))
    return by_code
