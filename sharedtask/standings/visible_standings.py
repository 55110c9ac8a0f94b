"""The standings that a viewer may see of a task, and which of them a page shows.

In: a viewer, a task, the moment, and what the address asks for. Out: `ResultPhases` and `VisibleStanding`s to
choose from, always in the same order. All result pages choose here: the leaderboard first the phase and then
its ranking, the others one of the rankings of all phases.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from sharedtask.accounts.roles import previews_another_task, role_of
from sharedtask.competition.models import Phase, Task
from sharedtask.competition.tracks import track_order, track_title
from sharedtask.standings import standing_access
from sharedtask.standings.models import Standing
from sharedtask.standings.phase_standings import PhaseStandings, standings_of_phase
from sharedtask.standings.query import ResultsQuery
from sharedtask.standings.rankings import RANKING_ORDER

if TYPE_CHECKING:
    from sharedtask.accounts.roles import Viewer


@dataclass(frozen=True, kw_only=True)
class ResultPhases:
    visible: tuple[Phase, ...]
    """Those whose standings the viewer may see, the default first."""
    unpublished: tuple[str, ...]
    """Titles of the tests that have closed and whose results the viewer does not see yet."""


@dataclass(frozen=True, kw_only=True)
class VisibleStanding:
    phase: Phase
    standing: Standing
    published_at: datetime | None
    """None in a phase that shows scores, and for a standing that only organisers see."""

    @cached_property
    def runs(self) -> frozenset[str]:
        return frozenset(row["run"] for row in self.standing.table.get("rows", ()))

    @property
    def track_title(self) -> str:
        """Empty in a task without tracks."""
        return track_title(self.phase.task, self.standing.track)

    @property
    def ranking(self) -> Standing.Ranking:
        return Standing.Ranking(self.standing.ranking)


def result_phases(viewer: Viewer, slug: str, *, at: datetime) -> ResultPhases:
    """Phases with results come first; of these the test, then the latest. A few small queries."""
    phases = list(Phase.objects.begun(at=at).filter(task__slug=slug).select_related("task"))
    if not phases or previews_another_task(viewer, phases[0].task):
        return ResultPhases(visible=(), unpublished=())
    task = phases[0].task
    for phase in phases:
        phase.task = task
    role = role_of(viewer, task)
    if len(phases) > 1:
        with_results = standing_access.phases_with_results(task, role, at=at)
        phases.sort(key=lambda phase: phase.code)
        phases.sort(key=lambda phase: phase.opens_at, reverse=True)
        phases.sort(key=lambda phase: (phase.pk not in with_results, phase.kind != Phase.Kind.TEST))
    visible = standing_access.phases_to_show(phases, role, at=at)
    hidden_tests = [phase for phase in phases if phase.kind == Phase.Kind.TEST and phase not in visible]
    still_open = set(task.phases.open(at=at)) if hidden_tests else set()
    return ResultPhases(
        visible=tuple(visible),
        unpublished=tuple(phase.title for phase in hidden_tests if phase not in still_open),
    )


def visible_standings(
    viewer: Viewer, task: Task, *, at: datetime, preview: bool = False
) -> list[VisibleStanding]:
    """Of all phases, at most two queries for each. Sorted by track and ranking, then by phase."""
    visible: list[VisibleStanding] = []
    for phase in result_phases(viewer, task.slug, at=at).visible:
        phase.task = task
        visible += standings_to_choose_from(standings_of_phase(viewer, phase, at=at, preview=preview))
    tracks = track_order(task)
    return sorted(
        visible,
        key=lambda each: (tracks.index(each.standing.track), RANKING_ORDER.index(each.ranking)),
    )


def standings_to_choose_from(results: PhaseStandings) -> list[VisibleStanding]:
    return [
        VisibleStanding(phase=results.phase, standing=standing, published_at=results.published_at)
        for standing in results.standings
    ]


def choose_standing(
    visible: Sequence[VisibleStanding], query: ResultsQuery, *, having: Collection[str] = ()
) -> VisibleStanding | None:
    """Of those that the address allows, the first with the most of these runs."""
    allowed = [
        each
        for each in visible
        if query.phase in ("", each.phase.code)
        and query.track in ("", each.standing.track)
        and query.ranking in ("", each.ranking)
    ]
    return max(allowed, key=lambda each: len(each.runs.intersection(having)), default=None)
