"""The ranking `best`: of each team the run with the best average, official or not.

In: the inputs of all scored runs of the test phase and of post-evaluation. Out: those of one run per team.
Because it is chosen by score, after the fact, it is never the ranking of record. If no team has two runs to
choose from, there is no such ranking: it would not differ from the others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace

from evaluation import Presentation
from sharedtask.standings.averages import averages_of
from sharedtask.standings.entries import Inputs, RankingEntry


def only_best(inputs: Inputs, metric: str, presentation: Presentation) -> Inputs:
    """One run per team, or none at all if there is nothing to choose."""
    by_team: dict[int, list[RankingEntry]] = defaultdict(list)
    for entry in inputs.entries:
        by_team[entry.run.team_id].append(entry)
    if all(len(entries) == 1 for entries in by_team.values()):
        return replace(inputs, entries=[])
    return best_of_each(by_team, inputs, metric, presentation)


def best_of_each_system(inputs: Inputs, metric: str, presentation: Presentation) -> Inputs:
    """For open phases of tasks that rank the best run."""
    by_system: dict[int, list[RankingEntry]] = defaultdict(list)
    for entry in inputs.entries:
        by_system[entry.run.system_id].append(entry)
    return best_of_each(by_system, inputs, metric, presentation)


def best_of_each(
    groups: Mapping[int, list[RankingEntry]], inputs: Inputs, metric: str, presentation: Presentation
) -> Inputs:
    """Of runs with equal averages, the one that was received first."""
    averages = averages_of(inputs, metric)
    best = [
        min(entries, key=lambda entry: presentation.sort_key(averages[entry.run.public_id]))
        for entries in groups.values()
    ]
    return replace(inputs, entries=best)
