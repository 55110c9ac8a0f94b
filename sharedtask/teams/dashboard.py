"""What a team's own page shows: deadlines with quotas, the latest runs, and what needs attention.

In: the viewer, the task, the team, the moment. Out: `Dashboard`. Only what `visibility` lets the team know.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from sharedtask import visibility
from sharedtask.competition.models import Phase, Task
from sharedtask.submissions.models import Run
from sharedtask.submissions.quota import Quota, quota_of
from sharedtask.teams.models import System, Team

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User

LATEST = 10


@dataclass(frozen=True, kw_only=True)
class PhaseLine:
    phase: Phase
    closes_at: datetime | None
    is_open: bool
    quota: Quota


@dataclass(frozen=True, kw_only=True)
class Dashboard:
    phases: list[PhaseLine]
    systems: list[System]
    runs: list[tuple[Run, str]]
    attention: list[str]


def dashboard(viewer: User | AnonymousUser, task: Task, team: Team, *, at: datetime) -> Dashboard:
    lines = [
        PhaseLine(
            phase=phase,
            closes_at=phase.closing_time(team),
            is_open=phase.is_open(at=at, team=team),
            quota=quota_of(phase, team, at=at),
        )
        for phase in task.phases.prefetch_related("extensions").select_related("task")
    ]
    current = [line for line in lines if line.closes_at is None or line.closes_at > at]
    systems = list(team.systems.all())
    runs = visibility.states_of_own_runs(
        viewer, task, visibility.own_runs(viewer, task, team)[:LATEST], at=at
    )
    return Dashboard(
        phases=current, systems=systems, runs=runs, attention=attention(task, team, current, systems, runs)
    )


def attention(
    task: Task, team: Team, lines: list[PhaseLine], systems: list[System], runs: list[tuple[Run, str]]
) -> list[str]:
    """Sentences, the most pressing first."""
    found = []
    if team.registration == Team.Registration.DECLINED:
        found.append(f"The organisers declined your registration: {team.registration_reason}")
    elif team.registration == Team.Registration.REQUESTED and any(
        line.phase.needs_registration for line in lines
    ):
        found.append("The organisers have not confirmed your registration yet; blind phases wait for it.")
    if not team.has_accepted_rules:
        found.append(f"The rules are now in version {task.rules_version}. Please read and accept them.")
    if runs and runs[0][1] in (Run.State.REFUSED, Run.State.FAILED):
        found.append(f"Your latest run, number {runs[0][0].number}, is {runs[0][1]}. Its page says why.")
    for line in lines:
        if line.is_open and line.quota.left_today == 0:
            found.append(f"Your quota in {line.phase.title} is used up for now.")
    undescribed = [system.name for system in systems if not system.description and not system.questionnaire]
    if undescribed:
        found.append(f"Nothing is said yet about {', '.join(undescribed)}: please describe it.")
    return found
