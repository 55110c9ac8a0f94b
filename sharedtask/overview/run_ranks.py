"""The ranks of runs on the leaderboards that a viewer may see, each with the address of its row.

In: the viewer, a task and some of its runs. Out: `RunRank` by the public id of the run. Standings are cached,
so that this costs one or two queries per phase of these runs, however many runs there are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse

from evaluation.ranking.results import EVERYTHING
from sharedtask.accounts.roles import Viewer, previews_another_task, role_of
from sharedtask.competition.models import Phase, Task
from sharedtask.leaderboard.board.query import BoardQuery
from sharedtask.standings import standing_access
from sharedtask.standings.figures import figures_of
from sharedtask.standings.models import Standing
from sharedtask.standings.phase_standings import standings_of_phase
from sharedtask.submissions.models import Run


@dataclass(frozen=True, kw_only=True)
class RunRank:
    rank: int
    """By the first main metric over all test sets."""
    ranking: str
    address: str


def ranks_of(viewer: Viewer, task: Task, runs: Iterable[Run], *, at: datetime) -> dict[str, RunRank]:
    runs = list(runs)
    phases = list({run.phase_id: run.phase for run in runs}.values())
    public_ids = {run.public_id for run in runs}
    ranks: dict[str, RunRank] = {}
    if previews_another_task(viewer, task):
        return ranks
    for phase in standing_access.phases_to_show(phases, role_of(viewer, task), at=at):
        for standing in standings_of_phase(viewer, phase, at=at).standings:
            # Runs are chosen by score for `best`; their rank elsewhere is the one of record.
            if standing.ranking != Standing.Ranking.BEST:
                ranks |= ranks_in(phase, standing, public_ids)
    return ranks


def ranks_in(phase: Phase, standing: Standing, public_ids: set[str]) -> dict[str, RunRank]:
    figures = figures_of(standing)
    scope, metric = figures.scopes.index(EVERYTHING), figures.metrics.index(figures.main[0])
    by_system = {
        system: int(figures.rank[index, scope, metric]) for index, system in enumerate(figures.systems)
    }
    query = BoardQuery(phase=phase.code, track=standing.track, ranking=standing.ranking)
    return {
        run: RunRank(
            rank=by_system[run],
            ranking=standing.ranking,
            address=reverse("leaderboard", args=[phase.task.slug]) + query.query_string(selected=(run,)),
        )
        # Withdrawn systems have the rank 0.
        for run in public_ids & {system for system, rank in by_system.items() if rank}
    }
