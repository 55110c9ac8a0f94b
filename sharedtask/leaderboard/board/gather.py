"""Everything that a leaderboard depends on.

In: a viewer, a phase, the query and the time. Out: `BoardFacts`: the chosen standing as a `StandingView`, the
choices that the page offers, and the runs under way. Six queries for a visitor, whatever the number of
systems and test sets.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from django.db.models import Count, Q

from sharedtask.competition import task_access
from sharedtask.competition.models import Phase, Task
from sharedtask.competition.tracks import track_title
from sharedtask.leaderboard.board.query import BoardQuery
from sharedtask.standings.phase_standings import PhaseStandings, standings_of_phase
from sharedtask.standings.standing_view import StandingView, view_standing
from sharedtask.standings.visible_standings import ResultPhases, choose_standing, standings_to_choose_from
from sharedtask.submissions.models import Run

if TYPE_CHECKING:
    from sharedtask.accounts.roles import Viewer


@dataclass(frozen=True, kw_only=True)
class BoardFacts:
    phases: ResultPhases
    results: PhaseStandings
    """Of the phase that the board shows."""
    view: StandingView | None
    """The displayed standing; None if there is none yet."""
    under_way: int
    """Runs that will be ranked soon; 0 in a blind phase, where it would reveal progress."""
    is_recomputing: bool
    """A newer standing is being computed; False in a blind phase as well."""
    is_over: bool
    """Nobody can take part in the task any more; for the navigation."""

    @property
    def phase(self) -> Phase:
        return self.results.phase

    @property
    def task(self) -> Task:
        return self.phase.task

    @property
    def track(self) -> str:
        """Empty in a task without tracks."""
        return self.view.standing.track if self.view else ""

    @property
    def track_title(self) -> str:
        return track_title(self.task, self.track)

    @property
    def ranking(self) -> str:
        return self.view.standing.ranking if self.view else ""


def choose_phase(phases: ResultPhases, query: BoardQuery) -> Phase | None:
    """The one in the address; else the default."""
    return next((phase for phase in phases.visible if query.phase in ("", phase.code)), None)


def gather_facts(
    viewer: Viewer, phase: Phase, phases: ResultPhases, query: BoardQuery, *, at: datetime
) -> BoardFacts:
    results = standings_of_phase(viewer, phase, at=at, preview=query.preview)
    chosen = choose_standing(standings_to_choose_from(results), query)
    shows_queue = phase.feedback == Phase.Feedback.SCORES and task_access.may_see_queue(viewer, phase, at=at)
    under_way, is_recomputing = queue_of(phase) if shows_queue else (0, False)
    return BoardFacts(
        phases=phases,
        results=results,
        view=view_standing(viewer, chosen, at=at) if chosen else None,
        under_way=under_way,
        is_recomputing=is_recomputing,
        is_over=task_access.is_over(phase.task, at=at, read=phases.visible),
    )


def queue_of(phase: Phase) -> tuple[int, bool]:
    """The number of runs under way, and whether a standing has been requested, in one query."""
    counted = Phase.objects.annotate(under_way=Count("runs", filter=Q(runs__state__in=Run.UNFINISHED)))
    under_way, request = counted.values_list("under_way", "standing_request").get(pk=phase.pk)
    return under_way, request is not None
