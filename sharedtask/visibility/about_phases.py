"""Questions about phases and their rankings."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from sharedtask.competition.models import GoldVersion, Phase, Task
from sharedtask.leaderboard.models import Publication, Standing
from sharedtask.teams.models import System, Team
from sharedtask.visibility import facts
from sharedtask.visibility.about_tasks import tasks
from sharedtask.visibility.facts import Viewer, organises, results_published, role_of
from sharedtask.visibility.table import allowed
from sharedtask.visibility.words import Fate, GoldState, Role, RunState, Thing


def is_blind(phase: Phase, *, at: datetime) -> bool:
    """Scores are the organisers' alone: until the results are published, and whatever the clock says."""
    return facts.of_phase(phase, at=at).blind


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


def standing(viewer: Viewer, found: Standing, *, at: datetime) -> bool:
    """One standing by its own address: what was published stays readable, what is live in an open phase too.

    Of a phase that shows nothing while it runs, only what an organiser's act has published. What never held,
    because its gold waits to be put in force, is the organisers' alone.
    """
    if not standings(viewer, found.phase, at=at):
        return False
    if organises(viewer, found.phase.task):
        return True
    if found.phase.feedback == Phase.Feedback.SCORES and found.in_force_since is not None:
        return True
    return found.publications.filter(at__lte=at).exists()


def exact_figures(viewer: Viewer, found: Standing, *, at: datetime) -> bool:
    """Whether figures of a standing may be told in full: unrounded they tell the counts behind them.

    As long as gold of one test set is sealed, all are told as printed: averages would tell of that set too.
    """
    cited = found.table.get("gold", {})
    versions = GoldVersion.objects.filter(test_set__task=found.task_id, test_set__code__in=cited)
    states = {
        facts.gold_state(version, at=at)
        for version in versions.select_related("test_set")
        if cited[version.test_set.code] == version.number
    }
    situation = replace(
        facts.of_phase(found.phase, at=at),
        run=RunState.SCORED,
        fate=Fate.COUNTS,
        gold=GoldState.SEALED if GoldState.SEALED in states else GoldState.RELEASED,
    )
    return allowed(Thing.COUNTS, role_of(viewer, found.phase.task), situation)


def system_description(viewer: Viewer, system: System, *, at: datetime) -> bool:
    """What a team says of its system: its own and the organisers' until the results are published."""
    task = system.team.task
    role = role_of(viewer, task, system.team)
    return role in (Role.MEMBER, Role.ORGANISER) or results_published(task, at=at)
