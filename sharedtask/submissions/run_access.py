"""What a viewer may see of runs: of one of them, and of a team's own.

The facts are gathered from rows here; `visibility.table` decides.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import reduce
from operator import or_

from django.db.models import Q, QuerySet

from sharedtask.accounts.roles import Viewer, organises, previews_another_task, role_of
from sharedtask.competition.metrics import main_metrics
from sharedtask.competition.models import GoldVersion, Phase, Task
from sharedtask.competition.task_access import gold_state, is_blind, stage_of_phase
from sharedtask.submissions.models import Alarm, Message, Run, RunFile, Score
from sharedtask.teams.models import Team
from sharedtask.teams.team_access import team_of
from sharedtask.visibility.table import allowed
from sharedtask.visibility.terms import (
    Facts,
    Fate,
    Feedback,
    GoldState,
    NoteState,
    PhaseStage,
    Role,
    RunState,
    Switch,
    Thing,
)

RUN_STATES: dict[str, RunState] = {
    Run.State.RECEIVED: RunState.UNDER_WAY,
    Run.State.CHECKING: RunState.UNDER_WAY,
    Run.State.SCORING: RunState.CHECKED,
    Run.State.SCORED: RunState.SCORED,
    Run.State.REFUSED: RunState.REFUSED,
    Run.State.FAILED: RunState.FAILED,
}


def facts_of_run(
    run: Run, *, at: datetime, gold: GoldVersion | None = None, moment: PhaseStage | None = None
) -> Facts:
    """`gold` is the version that the thing in question was made with, where there is one.

    Whoever asks about many runs of a phase knows how the phase stands, and says it as `moment`.
    """
    return Facts(
        phase=moment or stage_of_phase(run.phase, at=at),
        feedback=Feedback(run.phase.feedback),
        run=RUN_STATES[run.state],
        fate=fate_of(run),
        gold=gold_state(gold, at=at),
        above_zero=Switch.ON if run.task.tells_above_zero else Switch.OFF,
    )


def fate_of(run: Run) -> Fate:
    """A run of a system that was withdrawn as a whole is withdrawn with it."""
    if run.fate == Run.Fate.REJECTED:
        return Fate.REJECTED
    if run.fate == Run.Fate.COUNTS and run.system.withdrawn_at is None:
        return Fate.COUNTS
    hidden = run.task.withdrawn_policy == Task.WithdrawnPolicy.HIDDEN
    return Fate.HIDDEN if hidden else Fate.SHOWN_UNRANKED


def facts_of_message(message: Message) -> Facts:
    return Facts(note=NoteState.RELEASED if message.released_at else NoteState.HELD)


def facts_of_alarm(alarm: Alarm) -> Facts:
    """What rests on the upload and the released inputs alone needs no act of an organiser."""
    told = alarm.told_team_at is not None or alarm.kind in Alarm.FOR_TEAMS
    return Facts(note=NoteState.RELEASED if told else NoteState.HELD)


@dataclass(frozen=True, kw_only=True)
class RunSight:
    """What one viewer may see of one run."""

    exists: bool
    receipt: bool
    verdicts: bool
    incidents: bool
    above_zero: bool
    scores: bool
    resources: bool
    failure: bool


def of_run(viewer: Viewer, run: Run, *, at: datetime) -> RunSight:
    told = facts_of_run(run, at=at)
    role = role_of(viewer, run.task, run.team)
    elsewhere = previews_another_task(viewer, run.task)

    def may(thing: Thing) -> bool:
        return not elsewhere and allowed(thing, role, told)

    return RunSight(
        exists=may(Thing.VALIDITY),
        receipt=may(Thing.RECEIPT),
        verdicts=may(Thing.VALIDITY),
        incidents=may(Thing.RECEIPT),
        above_zero=may(Thing.ABOVE_ZERO),
        scores=may(Thing.SCORE),
        resources=may(Thing.RESOURCES),
        failure=may(Thing.LOG),
    )


def run_thing(
    viewer: Viewer, thing: Thing, run: Run, *, at: datetime, gold: GoldVersion | None = None
) -> bool:
    """One thing of a run that has no field in `RunSight`: counts, breakdowns, outputs."""
    return allowed(thing, role_of(viewer, run.task, run.team), facts_of_run(run, at=at, gold=gold))


def scores(run: Run, sight: RunSight, *, at: datetime) -> QuerySet[Score]:
    """The scores of a run's files for a viewer with this sight, against the gold that the viewer may know of.

    After publication that is the gold which the publication cites: a corrected version shows on the page of
    a run when its results are published, and not before.
    """
    own = Score.objects.filter(file__run=run).done()
    if not sight.scores:
        return own.none()
    # Who may read our failures is an organiser, and sees what holds now.
    if run.phase.feedback == Phase.Feedback.SCORES or sight.failure:
        return own.in_force()
    cited = cited_gold(run.task, [run.phase], at=at).get(run.phase_id, {})
    versions = [Q(file__test_set__code=code, gold__number=number) for code, number in cited.items()]
    return own.filter(reduce(or_, versions)) if versions else own.in_force()


def cited_gold(task: Task, phases: Iterable[Phase], *, at: datetime) -> dict[int, dict[str, int]]:
    """By phase, the versions of gold that its last publication cites, by the code of the test set."""
    published = task.publications.filter(at__lte=at, standings__phase__in=phases).order_by("-at", "-pk")
    last: dict[int, int] = {}
    cited: dict[int, dict[str, int]] = {}
    for act, phase, gold in published.values_list("pk", "standings__phase", "standings__table__gold"):
        if last.setdefault(phase, act) == act:
            cited.setdefault(phase, {}).update(gold or {})
    return cited


def scores_with_breakdowns(viewer: Viewer, run: Run, *, at: datetime) -> QuerySet[Score]:
    """Those of `scores` whose breakdowns and trees the viewer may see: gold has been released."""
    if not runs_with(viewer, Thing.BREAKDOWN, [run], at=at):
        return Score.objects.none()
    shown = scores(run, of_run(viewer, run, at=at), at=at)
    return shown.filter(gold__released_at__lte=at)


def runs_with(viewer: Viewer, thing: Thing, runs: Iterable[Run], *, at: datetime) -> list[Run]:
    """Of many runs of one task, those of which the viewer may see a thing made with released gold.

    The roles are asked for once and each phase once, so that the number of queries does not grow.
    """
    runs = list(runs)
    if not runs or previews_another_task(viewer, runs[0].task):
        return []
    outside = role_of(viewer, runs[0].task)
    own = team_of(viewer, runs[0].task) if outside == Role.MEMBER else None
    phases = {run.phase_id: run.phase for run in runs}
    moments = {key: stage_of_phase(phase, at=at) for key, phase in phases.items()}

    def may(run: Run) -> bool:
        role = Role.RIVAL if own is not None and own.pk != run.team_id else outside
        told = facts_of_run(run, at=at, moment=moments[run.phase_id])
        return allowed(thing, role, replace(told, gold=GoldState.RELEASED))

    return [run for run in runs if may(run)]


def above_zero(run: Run, sight: RunSight) -> dict[str, bool]:
    """Under the rule of 2017, and only there, whether each scored file is above zero, by its code."""
    if not run.task.tells_above_zero or not sight.above_zero:
        return {}
    scored = Score.objects.filter(file__run=run).done().in_force()
    main = main_metrics(run.task)
    return {
        code: any(counts.get(metric, {}).get("correct", 0) > 0 for metric in main)
        for code, counts in scored.values_list("file__test_set__code", "counts")
    }


def messages(viewer: Viewer, run: Run) -> list[Message]:
    role = role_of(viewer, run.task, run.team)
    every = run.messages.all()
    return [message for message in every if allowed(Thing.MESSAGE, role, facts_of_message(message))]


def messages_to_team(viewer: Viewer, team: Team) -> list[Message]:
    """All that the viewer may read about the team's runs, latest first; one query, besides the role's."""
    role = role_of(viewer, team.task, team)
    every = Message.objects.filter(run__team=team).select_related("run")
    return [message for message in every if allowed(Thing.MESSAGE, role, facts_of_message(message))]


def alarms(viewer: Viewer, run: Run) -> list[Alarm]:
    role = role_of(viewer, run.task, run.team)
    return [alarm for alarm in run.alarms.all() if allowed(Thing.ALARM, role, facts_of_alarm(alarm))]


def own_runs(viewer: Viewer, task: Task, team: Team | None) -> QuerySet[Run]:
    """The runs of the viewer's team in a task, latest first.

    Their numbers settle what was received in the same moment: left to the database, the order would depend
    on which row was written last, and with it on scoring.
    """
    runs = Run.objects.filter(team=team) if team else Run.objects.none()
    return runs.select_related("team", "system", "phase__task").order_by("-received_at", "-number")


HIDDEN_WHILE_BLIND = frozenset({Run.State.SCORING, Run.State.SCORED, Run.State.FAILED})


def state_shown(run: Run, *, scores: bool) -> str:
    """A blind run's progress after the check is not told: how far scoring is depends on gold."""
    if not scores and run.state in HIDDEN_WHILE_BLIND and run.checked_at is not None:
        return "checked"
    return run.state


def file_state_shown(file: RunFile, *, is_scored: bool, scores: bool) -> str:
    """That a file was scored is progress of scoring; who may not see it reads that the file is valid."""
    return "scored" if scores and is_scored else file.state


def states_of_own_runs(
    viewer: Viewer, task: Task, runs: Iterable[Run], *, at: datetime
) -> list[tuple[Run, str]]:
    """The viewer's own runs, each with the state that the viewer may be told."""
    organiser = organises(viewer, task)
    return [(run, state_shown(run, scores=organiser or not is_blind(run.phase, at=at))) for run in runs]
