"""From rows to the words of the table: the role of a viewer, and the facts about a thing at a moment.

In: a viewer, a row, the moment. Out: `Role` and `Facts`. Nothing is decided here.
"""

from __future__ import annotations

from datetime import datetime

from django.contrib.auth.models import AnonymousUser, User

from sharedtask.competition.models import GoldVersion, Phase, Task, TestSet
from sharedtask.submissions.models import Run
from sharedtask.submissions.models.moderation import Alarm, Message
from sharedtask.teams.models import Team
from sharedtask.visibility.words import (
    Facts,
    Fate,
    Feedback,
    GoldState,
    Moment,
    Note,
    Role,
    Rule,
    RunState,
    SetState,
)

Viewer = User | AnonymousUser

RUN_STATES: dict[str, RunState] = {
    Run.State.RECEIVED: RunState.UNDER_WAY,
    Run.State.CHECKING: RunState.UNDER_WAY,
    Run.State.SCORING: RunState.CHECKED,
    Run.State.SCORED: RunState.SCORED,
    Run.State.REFUSED: RunState.REFUSED,
    Run.State.FAILED: RunState.FAILED,
}


def organises(viewer: Viewer, task: Task) -> bool:
    if not viewer.is_authenticated:
        return False
    return viewer.is_superuser or task.organisers.filter(pk=viewer.pk).exists()


def begins_tasks(viewer: Viewer) -> bool:
    """Administrators, and whoever organises a task already; nobody in a rehearsal, which changes nothing."""
    if not viewer.is_authenticated or getattr(viewer, "rehearsed_task", None):
        return False
    return viewer.is_superuser or Task.objects.filter(organisers=viewer.pk).exists()


def team_of(viewer: Viewer, task: Task) -> Team | None:
    """One person is in one team of a task. In a rehearsal it is the team that the organiser looks through."""
    if not viewer.is_authenticated:
        return None
    rehearsed: Team | None = getattr(viewer, "rehearsed_team", None)
    if rehearsed is not None:
        return rehearsed if rehearsed.task_id == task.pk else None
    return Team.objects.filter(task=task, members=viewer.pk).first()


def role_of(viewer: Viewer, task: Task, team: Team | None = None) -> Role:
    """Towards a team and what is its own; without a team, towards the task as a whole."""
    if not viewer.is_authenticated:
        return Role.VISITOR
    if organises(viewer, task):
        return Role.ORGANISER
    own = team_of(viewer, task)
    if own is None:
        return Role.STRANGER
    return Role.MEMBER if team is None or own.pk == team.pk else Role.RIVAL


def results_published(task: Task, *, at: datetime) -> bool:
    return task.results_published_at is not None and task.results_published_at <= at


def is_published(phase: Phase, *, at: datetime) -> bool:
    """Publishing covers what had begun; a blind phase that opens afterwards is blind until the next time."""
    first = phase.task.results_published_at
    if first is None or first > at:
        return False
    # Only for a phase that opened after the first publication are the later ones asked for.
    return phase.opens_at <= first or phase.task.publications.filter(at__range=(phase.opens_at, at)).exists()


def moment_of(phase: Phase, *, at: datetime) -> Moment:
    """Extensions are not asked for: no cell of the table tells an open phase from a closed one."""
    if is_published(phase, at=at):
        return Moment.PUBLISHED
    if at < phase.opens_at:
        return Moment.BEFORE
    return Moment.OPEN if phase.closes_at is None or at < phase.closes_at else Moment.CLOSED


def of_phase(phase: Phase, *, at: datetime) -> Facts:
    return Facts(phase=moment_of(phase, at=at), feedback=Feedback(phase.feedback))


def of_test_set(test_set: TestSet, *, at: datetime) -> Facts:
    if not test_set.is_revealed(at=at):
        return Facts(set=SetState.SEALED)
    released = test_set.has_released_inputs(at=at)
    return Facts(set=SetState.RELEASED if released else SetState.REVEALED)


def of_gold(version: GoldVersion | None, *, at: datetime) -> Facts:
    return Facts(gold=gold_state(version, at=at))


def gold_state(version: GoldVersion | None, *, at: datetime) -> GoldState:
    released = version is not None and version.released_at is not None and version.released_at <= at
    return GoldState.RELEASED if released else GoldState.SEALED


def of_run(run: Run, *, at: datetime, gold: GoldVersion | None = None, moment: Moment | None = None) -> Facts:
    """`gold` is the version that the thing in question was made with, where there is one.

    Whoever asks about many runs of a phase knows how the phase stands, and says it as `moment`.
    """
    return Facts(
        phase=moment or moment_of(run.phase, at=at),
        feedback=Feedback(run.phase.feedback),
        run=RUN_STATES[run.state],
        fate=fate_of(run),
        gold=gold_state(gold, at=at),
        above_zero=Rule.ON if run.task.tells_above_zero else Rule.OFF,
    )


def fate_of(run: Run) -> Fate:
    """A run of a system that was withdrawn as a whole is withdrawn with it."""
    if run.fate == Run.Fate.REJECTED:
        return Fate.REJECTED
    if run.fate == Run.Fate.COUNTS and run.system.withdrawn_at is None:
        return Fate.COUNTS
    hidden = run.task.withdrawn_policy == Task.WithdrawnPolicy.HIDDEN
    return Fate.HIDDEN if hidden else Fate.SHOWN_UNRANKED


def of_team_name(task: Task, *, at: datetime) -> Facts:
    return Facts(
        phase=Moment.PUBLISHED if results_published(task, at=at) else Moment.OPEN,
        pseudonyms=Rule.ON if task.pseudonymous else Rule.OFF,
    )


def of_message(message: Message) -> Facts:
    return Facts(note=Note.RELEASED if message.released_at else Note.HELD)


def of_alarm(alarm: Alarm) -> Facts:
    """What rests on the upload and the released inputs alone needs no act of an organiser."""
    told = alarm.told_team_at is not None or alarm.kind in Alarm.FOR_TEAMS
    return Facts(note=Note.RELEASED if told else Note.HELD)
