"""What a viewer may see of runs: of a single run, and of the runs of a team.

This module gathers the facts from rows; `visibility.table` decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Prefetch, Q, QuerySet

from sharedtask.accounts.roles import Viewer, organises, previews_another_task, role_of, team_id_of
from sharedtask.competition.metrics import main_metrics
from sharedtask.competition.models import GoldVersion, Phase, Task, TestSet
from sharedtask.competition.task_access import facts_of_test_set, gold_state, is_blind, stage_of_phase
from sharedtask.submissions.models import Alarm, Message, Run, RunFile, Score
from sharedtask.teams.models import Team
from sharedtask.visibility.table import allowed
from sharedtask.visibility.terms import (
    Facts,
    Feedback,
    GoldState,
    NoteState,
    PhaseStage,
    Role,
    RunState,
    RunStatus,
    SetState,
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


SHOW_OUTPUT = frozenset({Thing.OUTPUT, Thing.COUNTS, Thing.BREAKDOWN})
"""Things that show what software wrote, or numbers computed from it, as far as its input is public."""


def allowed_of_run(thing: Thing, role: Role, run: Run, facts: Facts) -> bool:
    """Outputs of software are also as secret as the inputs that it could read."""
    if run.has_software_output and thing in SHOW_OUTPUT and not allowed(Thing.CONTAINER_OUTPUT, role, facts):
        return False
    return allowed(thing, role, facts)


def input_state(run: Run, *, at: datetime) -> SetState:
    """Of the most secret input that the run is made from. Uploads are made from released inputs."""
    if not run.has_software_output:
        return SetState.RELEASED
    # Pages with many runs have prefetched the test sets.
    test_sets = run.phase.test_sets.all()
    return least_released([test_set for test_set in test_sets if test_set.code in run.produced], at=at)


def is_from_secret_input(run: Run, *, at: datetime) -> bool:
    """Whether software wrote a file of the run, on inputs of which one is not released."""
    return input_state(run, at=at) != SetState.RELEASED


def least_released(test_sets: Iterable[TestSet], *, at: datetime) -> SetState:
    """A container may copy each of its inputs into each of its outputs. Without test sets: sealed."""
    states = {facts_of_test_set(test_set, at=at).set for test_set in test_sets}
    return next((state for state in SetState if state in states), SetState.SEALED)


def facts_of_run(
    run: Run, *, at: datetime, gold: GoldVersion | None = None, moment: PhaseStage | None = None
) -> Facts:
    """`gold` is the version from which the thing in question was computed, if there is one.

    For many runs of one phase, the caller determines the phase's `moment` once and passes it.
    """
    return Facts(
        phase=moment or stage_of_phase(run.phase, at=at),
        feedback=Feedback(run.phase.feedback),
        run=RUN_STATES[run.state],
        status=status_of(run),
        set=input_state(run, at=at),
        gold=gold_state(gold, at=at),
        above_zero=Switch.ON if run.task.reveals_above_zero else Switch.OFF,
    )


def status_of(run: Run) -> RunStatus:
    """When a system is withdrawn, all its runs are."""
    if run.status == Run.Status.REJECTED:
        return RunStatus.REJECTED
    if run.status == Run.Status.COUNTS and run.system.withdrawn_at is None:
        return RunStatus.COUNTS
    hidden = run.task.withdrawn_policy == Task.WithdrawnPolicy.HIDDEN
    return RunStatus.HIDDEN if hidden else RunStatus.SHOWN_UNRANKED


def facts_of_message(message: Message) -> Facts:
    return Facts(note=NoteState.RELEASED if message.released_at else NoteState.HELD)


def facts_of_alarm(alarm: Alarm) -> Facts:
    """Alarms that depend on the upload and the released inputs only need not be released by an organiser."""
    released = alarm.team_notified_at is not None or alarm.kind in Alarm.FOR_TEAMS
    return Facts(note=NoteState.RELEASED if released else NoteState.HELD)


@dataclass(frozen=True, kw_only=True)
class RunPermissions:
    """What one viewer may see of one run."""

    exists: bool
    receipt: bool
    verdicts: bool
    incidents: bool
    outputs: bool
    """Whether files, sizes, hashes and incidents that quote them are visible, to those who see incidents."""
    above_zero: bool
    scores: bool
    resources: bool
    failure: bool


def run_permissions(viewer: Viewer, run: Run, *, at: datetime) -> RunPermissions:
    facts = facts_of_run(run, at=at)
    role = role_of(viewer, run.task, run.team)
    elsewhere = previews_another_task(viewer, run.task)

    def may(thing: Thing) -> bool:
        return not elsewhere and allowed(thing, role, facts)

    return RunPermissions(
        exists=may(Thing.VALIDITY),
        receipt=may(Thing.RECEIPT),
        verdicts=may(Thing.VALIDITY),
        incidents=may(Thing.RECEIPT),
        outputs=not run.has_software_output or may(Thing.CONTAINER_OUTPUT),
        above_zero=may(Thing.ABOVE_ZERO),
        scores=may(Thing.SCORE),
        resources=may(Thing.RESOURCES),
        failure=may(Thing.LOG),
    )


def may_see(viewer: Viewer, thing: Thing, run: Run, *, at: datetime, gold: GoldVersion | None = None) -> bool:
    """For things of a run without a field in `RunPermissions`: counts, breakdowns, outputs."""
    role = role_of(viewer, run.task, run.team)
    return allowed_of_run(thing, role, run, facts_of_run(run, at=at, gold=gold))


def scores(run: Run, permissions: RunPermissions, *, at: datetime) -> QuerySet[Score]:
    """The scores of a run's files that a viewer may see, against the gold that the viewer may know about.

    After publication this is the gold that the publication cites: scores against a corrected version appear
    on the page of a run only when its results are published.
    """
    done = Score.objects.filter(file__run=run).done()
    if not permissions.scores:
        return done.none()
    # Only organisers may see failures; they see the scores against the gold in force.
    if run.phase.feedback == Phase.Feedback.SCORES or permissions.failure:
        return done.in_force()
    cited = cited_versions(run.task, [run.phase], at=at).get(run.phase_id, {})
    versions = [
        Q(file__test_set__code=code, gold__number=number, profile_version=profile_version)
        for code, (number, profile_version) in cited.items()
    ]
    return done.filter(reduce(or_, versions)) if versions else done.in_force()


def references(viewer: Viewer, run: Run, scores: Iterable[Score], *, at: datetime) -> dict[str, Score]:
    """By test set, those of a run's scores of which the viewer may know against which reference they are."""
    return {
        score.file.test_set.code: score
        for score in scores
        if score.reference and may_see(viewer, Thing.COUNTS, run, at=at, gold=score.gold)
    }


CitedVersions = dict[str, tuple[int, str]]
"""By the code of the test set, the version of gold and that of the profile."""


def cited_versions(task: Task, phases: Iterable[Phase], *, at: datetime) -> dict[int, CitedVersions]:
    """By phase, what the last publication cites."""
    published = task.publications.filter(at__lte=at, standings__phase__in=phases).order_by("-at", "-pk")
    last: dict[int, int] = {}
    cited: dict[int, CitedVersions] = {}
    columns = ("pk", "standings__phase", "standings__table__gold", "standings__table__profile_version")
    for publication, phase, gold, profile_version in published.values_list(*columns):
        if last.setdefault(phase, publication) == publication:
            versions = {code: (number, profile_version or "") for code, number in (gold or {}).items()}
            cited.setdefault(phase, {}).update(versions)
    return cited


def scores_with_breakdowns(viewer: Viewer, run: Run, *, at: datetime) -> QuerySet[Score]:
    """The scores whose breakdowns and trees the viewer may see, because gold has been released."""
    if not runs_with(viewer, Thing.BREAKDOWN, [run], at=at):
        return Score.objects.none()
    visible = scores(run, run_permissions(viewer, run, at=at), at=at)
    return visible.filter(gold__released_at__lte=at)


def runs_with(viewer: Viewer, thing: Thing, runs: Iterable[Run], *, at: datetime) -> list[Run]:
    """Of many runs of one task, those of which the viewer may see a thing computed from released gold.

    Role and phases are looked up once, so that the number of queries does not grow with the runs.
    """
    runs = list(runs)
    if not runs or previews_another_task(viewer, runs[0].task):
        return []
    task_role = role_of(viewer, runs[0].task)
    own_team = team_id_of(viewer, runs[0].task) if task_role == Role.MEMBER else None
    phases = {run.phase_id: run.phase for run in runs}
    moments = {key: stage_of_phase(phase, at=at) for key, phase in phases.items()}

    def may(run: Run) -> bool:
        role = Role.OTHER_TEAM if own_team is not None and own_team != run.team_id else task_role
        facts = facts_of_run(run, at=at, moment=moments[run.phase_id])
        return allowed_of_run(thing, role, run, replace(facts, gold=GoldState.RELEASED))

    return [run for run in runs if may(run)]


def above_zero(run: Run, permissions: RunPermissions) -> dict[str, bool]:
    """By code of the test set, whether each scored file is above zero. Only under the rule of 2017."""
    if not run.task.reveals_above_zero or not permissions.above_zero:
        return {}
    scored = Score.objects.filter(file__run=run).done().in_force()
    main = main_metrics(run.task, run.track)
    return {
        code: any(is_above_zero(counts.get(metric, {})) for metric in main)
        for code, counts in scored.values_list("file__test_set__code", "counts")
    }


def is_above_zero(sums: Mapping[str, Any]) -> bool:
    return sums.get("correct", 0) > 0 or sums.get("figure", 0) > 0


def messages(viewer: Viewer, run: Run) -> list[Message]:
    role = role_of(viewer, run.task, run.team)
    return [
        message for message in run.messages.all() if allowed(Thing.MESSAGE, role, facts_of_message(message))
    ]


def messages_to_team(viewer: Viewer, team: Team) -> list[Message]:
    """Messages about the team's runs that the viewer may see, latest first. One query besides the role's."""
    role = role_of(viewer, team.task, team)
    messages = Message.objects.filter(run__team=team).select_related("run")
    return [message for message in messages if allowed(Thing.MESSAGE, role, facts_of_message(message))]


def alarms(viewer: Viewer, run: Run, *, at: datetime) -> list[Alarm]:
    """None about the outputs of software whose input is not public."""
    role = role_of(viewer, run.task, run.team)
    if run.has_software_output and not allowed(Thing.CONTAINER_OUTPUT, role, facts_of_run(run, at=at)):
        return []
    return [alarm for alarm in run.alarms.all() if allowed(Thing.ALARM, role, facts_of_alarm(alarm))]


def own_runs(viewer: Viewer, task: Task, team: Team | None) -> QuerySet[Run]:
    """The runs of the viewer's team in a task, latest first.

    Runs received at the same time are ordered by number: otherwise the order would depend on which row was
    written last, and thus on scoring.
    """
    runs = task.runs.filter(team=team) if team else Run.objects.none()
    # The runs share their task and phases instead of having one copy each.
    phases = Prefetch("phase", queryset=task.phases.all())
    return runs.select_related("team", "system").prefetch_related(phases).order_by("-received_at", "-number")


HIDDEN_WHILE_BLIND = frozenset({Run.State.SCORING, Run.State.SCORED, Run.State.FAILED})


def visible_state(run: Run, *, scores: bool) -> str:
    """A blind run's progress after the check is hidden, because the progress of scoring depends on gold."""
    if not scores and run.state in HIDDEN_WHILE_BLIND and run.checked_at is not None:
        return "checked"
    return run.state


def visible_file_state(file: RunFile, *, is_scored: bool, scores: bool) -> str:
    """A viewer who may not see the progress of scoring sees “valid” instead of “scored”."""
    return "scored" if scores and is_scored else file.state


def states_of_own_runs(
    viewer: Viewer, task: Task, runs: Iterable[Run], *, at: datetime
) -> list[tuple[Run, str]]:
    """The viewer's own runs, each with the state that the viewer may see."""
    organiser = organises(viewer, task)
    return [(run, visible_state(run, scores=organiser or not is_blind(run.phase, at=at))) for run in runs]
