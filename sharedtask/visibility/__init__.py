"""Who may see what, when. Every view, export, mail and error asks here, and nothing else decides.

The rules are a table of data (`table.py`: thing × role → when), which organisers can read on a page of the
site. `facts.py` turns rows of the database into the words of the table. The functions here are the
questions that the rest of the site asks; those about sets of rows are querysets and take `at=`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from sharedtask import clock
from sharedtask.competition.models import GoldVersion, InputFile, Phase, Task, TestSet
from sharedtask.leaderboard.models import Publication, Standing
from sharedtask.submissions.models import Run, RunFile, Score
from sharedtask.submissions.models.moderation import Alarm, Message
from sharedtask.teams.models import System, Team
from sharedtask.visibility import facts
from sharedtask.visibility.facts import organises, results_published, role_of, team_of
from sharedtask.visibility.table import Role, Thing, allowed

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User

    Viewer = User | AnonymousUser

__all__ = [
    "RunSight",
    "Thing",
    "above_zero",
    "alarms",
    "audit",
    "file_state_shown",
    "gold_file",
    "groups",
    "inputs",
    "is_blind",
    "messages",
    "of_run",
    "organises",
    "own_runs",
    "phases_to_upload_to",
    "phases_with_standings",
    "queue",
    "raw_text",
    "results_published",
    "role_of",
    "run_thing",
    "scores",
    "standing",
    "standings",
    "state_shown",
    "states_of_own_runs",
    "system_description",
    "tasks",
    "team_names",
    "team_of",
    "test_sets",
]


# The task and its test sets


def tasks(viewer: Viewer) -> QuerySet[Task]:
    """All of them; in a rehearsal only the one that is rehearsed, for the clock is moved for no other."""
    rehearsed = getattr(viewer, "rehearsed_task", None)
    return Task.objects.filter(pk=rehearsed.pk) if rehearsed else Task.objects.all()


def test_sets(viewer: Viewer, task: Task, *, at: datetime) -> QuerySet[TestSet]:
    """A set that is not in here must leave no trace: no name, no count, no number in a signature."""
    everything = allowed(Thing.NAME, role_of(viewer, task), facts.Facts(set=facts.SetState.SEALED))
    return task.test_sets.all() if everything else task.test_sets.revealed(at=at)


def groups(viewer: Viewer, task: Task, *, at: datetime) -> list[str]:
    """Groups that have a set the viewer may know of; the name of an empty group would announce one."""
    used = {group for one in test_sets(viewer, task, at=at) for group in one.groups}
    return [group for group in task.groups if group in used]


def inputs(viewer: Viewer, test_set: TestSet, *, at: datetime, role: Role | None = None) -> list[InputFile]:
    """The newest version of each variant that the viewer may download; reads prefetched inputs.

    A page with many test sets asks for the viewer's role once and hands it on.
    """
    role = role or role_of(viewer, test_set.task)
    told = facts.of_test_set(test_set, at=at)
    newest: dict[str, InputFile] = {}
    for file in sorted(test_set.inputs.all(), key=lambda file: file.version):
        if allowed(Thing.SAMPLE if file.is_sample else Thing.INPUT, role, told):
            newest[file.variant] = file
    return sorted(newest.values(), key=lambda file: (not file.is_raw_text, file.variant))


def raw_text(viewer: Viewer, test_set: TestSet, *, at: datetime) -> InputFile | None:
    """What everybody gets, organisers included; `inputs` has what organisers may fetch before. No query."""
    may = allowed(Thing.INPUT, Role.VISITOR, facts.of_test_set(test_set, at=at))
    return test_set.raw_text if may else None


def gold_file(
    viewer: Viewer, test_set: TestSet, *, at: datetime, role: Role | None = None
) -> GoldVersion | None:
    """The version whose plain copy may be downloaded; until a worker has written one, nobody can."""
    version = test_set.gold_in_force
    if version is None or not test_set.is_revealed(at=at) or not version.public_copy:
        return None
    role = role or role_of(viewer, test_set.task)
    may = allowed(Thing.GOLD, role, facts.of_gold(version, at=at))
    return version if may else None


# Phases, rankings, teams


def is_blind(phase: Phase, *, at: datetime | None = None) -> bool:
    """Scores are the organisers' alone: until the results are published, and whatever the clock says."""
    return facts.of_phase(phase, at=at or clock.database_now()).blind


def phases_to_upload_to(viewer: Viewer, task: Task, team: Team | None, *, at: datetime) -> QuerySet[Phase]:
    """Open now for this team; without a team, those that are open at all."""
    return task.phases.open(at=at, team=team)


def phases_with_standings(viewer: Viewer, task: Task | None = None, *, at: datetime) -> QuerySet[Phase]:
    """The phases for which `standings` says yes, of one task or of all, in one query, latest first."""
    shown = Phase.objects.begun(at=at).select_related("task").order_by("-opens_at", "task__title", "code")
    shown = shown.filter(task=task) if task is not None else shown.filter(task__in=tasks(viewer))
    if viewer.is_authenticated and viewer.is_superuser:
        return shown
    later = Publication.objects.filter(task=OuterRef("task"), at__gte=OuterRef("opens_at"), at__lte=at)
    published = Q(task__results_published_at__lte=at) & (
        Q(opens_at__lte=F("task__results_published_at")) | Exists(later)
    )
    not_blind = Q(feedback=Phase.Feedback.SCORES) | published
    if not viewer.is_authenticated:
        return shown.filter(not_blind)
    return shown.filter(not_blind | Q(task__in=Task.objects.filter(organisers=viewer.pk)))


def standings(viewer: Viewer, phase: Phase, *, at: datetime) -> bool:
    return allowed(Thing.RANKING, role_of(viewer, phase.task), facts.of_phase(phase, at=at))


def queue(viewer: Viewer, phase: Phase, *, at: datetime) -> bool:
    """Whether the viewer may know how many runs of the phase are under way."""
    return allowed(Thing.QUEUE, role_of(viewer, phase.task), facts.of_phase(phase, at=at))


def audit(viewer: Viewer, task: Task) -> bool:
    return allowed(Thing.AUDIT, role_of(viewer, task), facts.Facts())


def team_names(viewer: Viewer, task: Task, *, at: datetime) -> Callable[[Team], str]:
    """A function from teams of the task to the names they have for this viewer; it asks no database."""
    told = facts.of_team_name(task, at=at)
    role, own = role_of(viewer, task), team_of(viewer, task)

    def name(team: Team) -> str:
        towards = role
        if role == Role.MEMBER and (own is None or own.pk != team.pk):
            towards = Role.RIVAL
        if team.is_baseline or allowed(Thing.TEAM_NAME, towards, told):
            return team.name
        return team.pseudonym or f"Team {team.public_id[:4]}"

    return name


# Runs


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


def of_run(viewer: Viewer, run: Run, *, at: datetime | None = None) -> RunSight:
    told = facts.of_run(run, at=at or clock.database_now())
    role = role_of(viewer, run.task, run.team)
    elsewhere = is_elsewhere(viewer, run.task)

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


def is_elsewhere(viewer: Viewer, task: Task) -> bool:
    """Whether a rehearsal, with its moved clock, is about another task than this one."""
    rehearsed = getattr(viewer, "rehearsed_task", None)
    return rehearsed is not None and rehearsed.pk != task.pk


def run_thing(
    viewer: Viewer, thing: Thing, run: Run, *, at: datetime, gold: GoldVersion | None = None
) -> bool:
    """One thing of a run that has no field in `RunSight`: counts, breakdowns, outputs."""
    return allowed(thing, role_of(viewer, run.task, run.team), facts.of_run(run, at=at, gold=gold))


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
    publication = run.task.publications.filter(at__lte=at, standings__phase=run.phase).first()
    if publication is None:
        return own.in_force()
    cited: dict[str, int] = {}
    for one in publication.standings.filter(phase=run.phase):
        cited |= one.table.get("gold", {})
    versions = [Q(file__test_set__code=code, gold__number=number) for code, number in cited.items()]
    return own.filter(reduce(or_, versions)) if versions else own.in_force()


def above_zero(run: Run, sight: RunSight) -> dict[str, bool]:
    """Under the rule of 2017, and only there, whether each scored file is above zero, by its code."""
    if not run.task.tells_above_zero or not sight.above_zero:
        return {}
    scored = Score.objects.filter(file__run=run).done().in_force()
    main = run.task.main_metrics or ["LAS"]
    return {
        code: any(counts.get(metric, {}).get("correct", 0) > 0 for metric in main)
        for code, counts in scored.values_list("file__test_set__code", "counts")
    }


def messages(viewer: Viewer, run: Run) -> list[Message]:
    role = role_of(viewer, run.task, run.team)
    every = run.messages.all()
    return [message for message in every if allowed(Thing.MESSAGE, role, facts.of_message(message))]


def alarms(viewer: Viewer, run: Run) -> list[Alarm]:
    role = role_of(viewer, run.task, run.team)
    return [alarm for alarm in run.alarms.all() if allowed(Thing.ALARM, role, facts.of_alarm(alarm))]


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
    viewer: Viewer, task: Task, runs: Iterable[Run], *, at: datetime | None = None
) -> list[tuple[Run, str]]:
    """The viewer's own runs, each with the state that the viewer may be told."""
    at = at or clock.database_now()
    organiser = organises(viewer, task)
    return [(run, state_shown(run, scores=organiser or not is_blind(run.phase, at=at))) for run in runs]


def standing(viewer: Viewer, found: Standing, *, at: datetime) -> bool:
    """One standing by its own address: what was published stays readable, what is live in an open phase too.

    Of a phase that shows nothing while it runs, only what an organiser's act has published.
    """
    if not standings(viewer, found.phase, at=at):
        return False
    if found.phase.feedback == Phase.Feedback.SCORES or organises(viewer, found.phase.task):
        return True
    return found.publications.filter(at__lte=at).exists()


def system_description(viewer: Viewer, system: System, *, at: datetime) -> bool:
    """What a team says of its system: its own and the organisers' until the results are published."""
    task = system.team.task
    role = role_of(viewer, task, system.team)
    return role in (Role.MEMBER, Role.ORGANISER) or results_published(task, at=at)
