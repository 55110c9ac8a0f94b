"""Who may see what. Every view asks here, and nothing else decides.

Three kinds of people: a visitor (signed in or not), a member of the team that a run belongs to, an
organiser of the task. Two kinds of tasks: open ones, whose scores are for everybody, and blind ones,
whose scores and progress of scoring are the organisers' alone.

| what                                         | visitor          | own team         | organiser |
|----------------------------------------------|------------------|------------------|-----------|
| task, test sets, leaderboard of an open task | yes              | yes              | yes       |
| leaderboard of a blind task                  | no               | no               | yes       |
| that a run exists                            | open and scored  | yes              | yes       |
| receipt: file name, SHA-256, refusal         | no               | yes              | yes       |
| verdict of each file                         | open and scored  | yes              | yes       |
| incidents, which quote the upload            | no               | yes              | yes       |
| progress of scoring, scores                  | open and scored  | open             | yes       |
| why a run failed on our side                 | no               | no               | yes       |
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from django.db.models import Q, QuerySet

from sharedtask.competition.models import Task, TestSet
from sharedtask.submissions.models import Run, RunFile
from sharedtask.teams.models import Team

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User

    Viewer = User | AnonymousUser


@dataclass(frozen=True, kw_only=True)
class RunSight:
    """What one viewer may see of one run."""

    exists: bool
    receipt: bool
    verdicts: bool
    incidents: bool
    scores: bool
    organisers_note: bool


def organises(viewer: Viewer, task: Task) -> bool:
    if not viewer.is_authenticated:
        return False
    return viewer.is_superuser or task.organisers.filter(pk=viewer.pk).exists()


def tasks(viewer: Viewer) -> QuerySet[Task]:
    return Task.objects.all()


def test_sets(viewer: Viewer, task: Task) -> QuerySet[TestSet]:
    return task.test_sets.all()


def teams_to_upload_for(viewer: Viewer) -> QuerySet[Team]:
    if not viewer.is_authenticated:
        return Team.objects.none()
    return Team.objects.filter(members=viewer.pk)


def may_upload(viewer: Viewer, task: Task, team: Team, *, at: datetime) -> bool:
    return task.is_open(at=at) and teams_to_upload_for(viewer).filter(pk=team.pk).exists()


def own_runs(viewer: Viewer, task: Task) -> QuerySet[Run]:
    """The runs of the viewer's teams in a task, latest first."""
    return Run.objects.filter(task=task, team__in=teams_to_upload_for(viewer)).select_related("team")


def tasks_with_standings(viewer: Viewer) -> QuerySet[Task]:
    """The tasks for which `standings` says yes, in one query."""
    if not viewer.is_authenticated:
        return Task.objects.filter(blind=False)
    if viewer.is_superuser:
        return Task.objects.all()
    return Task.objects.filter(Q(blind=False) | Q(organisers=viewer.pk)).distinct()


def standings(viewer: Viewer, task: Task) -> bool:
    return not task.blind or organises(viewer, task)


def of_run(viewer: Viewer, run: Run) -> RunSight:
    organiser = organises(viewer, run.task)
    member = teams_to_upload_for(viewer).filter(pk=run.team_id).exists()
    published = not run.task.blind and run.state == Run.State.SCORED
    inside = organiser or member
    return RunSight(
        exists=inside or published,
        receipt=inside,
        verdicts=inside or published,
        incidents=inside,
        scores=organiser or published or (member and not run.task.blind),
        organisers_note=organiser,
    )


HIDDEN_WHILE_BLIND = frozenset({Run.State.SCORING, Run.State.SCORED, Run.State.FAILED})


def state_shown(run: Run, *, scores: bool) -> str:
    """A blind run's progress after the check is not told: how far scoring is depends on gold."""
    if not scores and run.state in HIDDEN_WHILE_BLIND:
        return "checked"
    return run.state


def file_state_shown(file: RunFile, *, scores: bool) -> str:
    """That a file was scored is progress of scoring; who may not see it reads that the file is valid."""
    if not scores and file.state == RunFile.State.SCORED:
        return RunFile.State.VALID
    return file.state


def states_of_own_runs(viewer: Viewer, task: Task, runs: Iterable[Run]) -> list[tuple[Run, str]]:
    """The viewer's own runs, each with the state that the viewer may be told."""
    scores = standings(viewer, task)
    return [(run, state_shown(run, scores=scores)) for run in runs]
