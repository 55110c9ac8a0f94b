"""The contents of a team's own page: deadlines with quotas, the latest runs, systems and messages.

In: viewer, task, team, a time. Out: `Dashboard`, with what the team may see, in a fixed number of queries for
any number of phases and runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sharedtask.accounts.roles import Viewer
from sharedtask.competition.models import Phase, Task
from sharedtask.competition.tracks import track_codes, track_title
from sharedtask.overview.latest_runs import RunSummary, latest_runs
from sharedtask.submissions import run_access
from sharedtask.submissions.models import Message
from sharedtask.submissions.official import Selection, official_runs_of
from sharedtask.submissions.quota import Quota, quotas_of
from sharedtask.teams.models import System, Team


@dataclass(frozen=True, kw_only=True)
class PhaseSummary:
    """Of a phase; in a task with tracks, of one track in it, which has its own quota and official run."""

    phase: Phase
    track: str
    """Its code; empty in a task without tracks."""
    title: str
    """With the track if there are several."""
    closes_at: datetime | None
    """For this team, including its extensions."""
    is_open: bool
    quota: Quota
    official: Selection | None
    """The current official run, in a phase that has official runs."""


@dataclass(frozen=True, kw_only=True)
class Dashboard:
    task: Task
    team: Team
    phases: Sequence[PhaseSummary]
    """Phases that are open or scheduled for this team."""
    systems: Sequence[System]
    runs: Sequence[RunSummary]
    messages: Sequence[Message]

    @property
    def open_phases(self) -> list[PhaseSummary]:
        return [summary for summary in self.phases if summary.is_open]

    @property
    def deadline(self) -> PhaseSummary | None:
        """The open phase that closes first."""
        closing = [summary for summary in self.open_phases if summary.closes_at is not None]
        return min(closing, key=lambda summary: summary.closes_at or summary.phase.opens_at, default=None)

    @property
    def upcoming(self) -> PhaseSummary | None:
        later = [summary for summary in self.phases if not summary.is_open]
        return min(later, key=lambda summary: summary.phase.opens_at, default=None)


def build_dashboard(viewer: Viewer, task: Task, team: Team, *, at: datetime) -> Dashboard:
    return Dashboard(
        task=task,
        team=team,
        phases=phase_summaries(task, team, phases_of(task), at=at),
        systems=list(team.systems.all()),
        runs=latest_runs(viewer, task, team, at=at),
        messages=run_access.messages_to_team(viewer, team),
    )


def phases_of(task: Task) -> list[Phase]:
    """With their extensions."""
    return list(task.phases.prefetch_related("extensions"))


def phase_summaries(task: Task, team: Team, phases: Iterable[Phase], *, at: datetime) -> list[PhaseSummary]:
    """Of the phases that are open or scheduled for this team."""
    closing = {phase: phase.closing_time(team) for phase in phases}
    current = [phase for phase, closes in closing.items() if closes is None or closes > at]
    quotas = quotas_of(current, team, at=at)
    official = official_runs_of(team, current)
    return [
        PhaseSummary(
            phase=phase,
            track=track,
            title=", ".join(filter(None, (phase.title, track_title(task, track)))),
            closes_at=closing[phase],
            is_open=phase.is_open(at=at, team=team),
            quota=quotas[phase.pk, track],
            official=official.get((phase.pk, track)),
        )
        for phase in current
        for track in track_codes(phase)
    ]
