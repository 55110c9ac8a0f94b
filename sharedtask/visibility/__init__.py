"""Who may see what. Every view asks here, and nothing else decides.

Three kinds of people: a visitor (signed in or not), a member of the team that a run belongs to, an
organiser of the task. Two kinds of phases: open ones, whose scores are for everybody, and blind ones,
whose scores and progress of scoring are the organisers' alone until the results are published.

| what                                         | visitor          | own team         | organiser |
|----------------------------------------------|------------------|------------------|-----------|
| task, leaderboard of an open phase           | yes              | yes              | yes       |
| test sets, raw texts                         | from their time  | from their time  | from then |
| leaderboard of a blind phase                 | no               | no               | yes       |
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

from sharedtask.competition.models import InputFile, Phase, Task, TestSet
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
    failure: bool


def organises(viewer: Viewer, task: Task) -> bool:
    if not viewer.is_authenticated:
        return False
    return viewer.is_superuser or task.organisers.filter(pk=viewer.pk).exists()


def is_blind(phase: Phase) -> bool:
    return phase.feedback == Phase.Feedback.VALIDITY and phase.task.results_published_at is None


def tasks(viewer: Viewer) -> QuerySet[Task]:
    return Task.objects.all()


def test_sets(viewer: Viewer, task: Task, *, at: datetime) -> QuerySet[TestSet]:
    return task.test_sets.revealed(at=at)


def raw_text(viewer: Viewer, test_set: TestSet, *, at: datetime) -> InputFile | None:
    return test_set.raw_text if test_set.has_released_inputs(at=at) else None


def team_of(viewer: Viewer, task: Task) -> Team | None:
    """One person is in one team of a task."""
    if not viewer.is_authenticated:
        return None
    return Team.objects.filter(task=task, members=viewer.pk).first()


def phases_to_upload_to(viewer: Viewer, task: Task, team: Team | None, *, at: datetime) -> QuerySet[Phase]:
    """Open now for this team; without a team, those that are open at all."""
    return task.phases.open(at=at, team=team)


def own_runs(viewer: Viewer, task: Task, team: Team | None) -> QuerySet[Run]:
    """The runs of the viewer's team in a task, latest first."""
    runs = Run.objects.filter(team=team) if team else Run.objects.none()
    return runs.select_related("team", "system", "phase__task")


def phases_with_standings(viewer: Viewer, task: Task | None = None, *, at: datetime) -> QuerySet[Phase]:
    """The phases for which `standings` says yes, of one task or of all, in one query, latest first."""
    shown = Phase.objects.begun(at=at).select_related("task").order_by("-opens_at", "task__title", "code")
    if task is not None:
        shown = shown.filter(task=task)
    if viewer.is_authenticated and viewer.is_superuser:
        return shown
    open_ones = Q(feedback=Phase.Feedback.SCORES) | Q(task__results_published_at__isnull=False)
    if not viewer.is_authenticated:
        return shown.filter(open_ones)
    return shown.filter(open_ones | Q(task__in=Task.objects.filter(organisers=viewer.pk)))


def standings(viewer: Viewer, phase: Phase, *, at: datetime) -> bool:
    return phase.opens_at <= at and (not is_blind(phase) or organises(viewer, phase.task))


def of_run(viewer: Viewer, run: Run) -> RunSight:
    organiser = organises(viewer, run.task)
    member = viewer.is_authenticated and run.team.members.filter(pk=viewer.pk).exists()
    blind = is_blind(run.phase)
    published = not blind and run.state == Run.State.SCORED
    inside = organiser or member
    return RunSight(
        exists=inside or published,
        receipt=inside,
        verdicts=inside or published,
        incidents=inside,
        scores=organiser or published or (member and not blind),
        failure=organiser,
    )


HIDDEN_WHILE_BLIND = frozenset({Run.State.SCORING, Run.State.SCORED, Run.State.FAILED})


def state_shown(run: Run, *, scores: bool) -> str:
    """A blind run's progress after the check is not told: how far scoring is depends on gold."""
    if not scores and run.state in HIDDEN_WHILE_BLIND and run.checked_at is not None:
        return "checked"
    return run.state


def file_state_shown(file: RunFile, *, is_scored: bool, scores: bool) -> str:
    """That a file was scored is progress of scoring; who may not see it reads that the file is valid."""
    return "scored" if scores and is_scored else file.state


def states_of_own_runs(viewer: Viewer, task: Task, runs: Iterable[Run]) -> list[tuple[Run, str]]:
    """The viewer's own runs, each with the state that the viewer may be told."""
    organiser = organises(viewer, task)
    return [(run, state_shown(run, scores=organiser or not is_blind(run.phase))) for run in runs]
