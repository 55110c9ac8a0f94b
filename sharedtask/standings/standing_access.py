"""Which standings a viewer may see: those of a phase, or one by its own address."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery

from sharedtask.accounts.roles import Viewer, is_administrator, may_organise, organises, role_of
from sharedtask.competition.models import GoldVersion, Phase, Task
from sharedtask.competition.task_access import facts_of_phase, state_of_gold, tasks
from sharedtask.standings.models import Publication, Standing
from sharedtask.visibility.table import allowed
from sharedtask.visibility.terms import GoldState, Role, RunState, RunStatus, Thing


def phases_with_standings(viewer: Viewer, task: Task | None = None, *, at: datetime) -> QuerySet[Phase]:
    """The phases whose standings the viewer may see, of one task or of all, in one query, latest first."""
    phases = Phase.objects.begun(at=at).select_related("task").order_by("-opens_at", "task__title", "code")
    phases = phases.filter(task=task) if task is not None else phases.filter(task__in=tasks(viewer))
    if is_administrator(viewer):
        return phases
    later = Publication.objects.filter(task=OuterRef("task"), at__gte=OuterRef("opens_at"), at__lte=at)
    published = Q(task__results_published_at__lte=at, results_withheld=False) & (
        Q(opens_at__lte=F("task__results_published_at")) | Exists(later)
    )
    not_blind = Q(feedback=Phase.Feedback.SCORES) | published
    if not may_organise(viewer):
        return phases.filter(not_blind)
    return phases.filter(not_blind | Q(task__in=Task.objects.filter(organisers=viewer.pk)))


def phases_to_show(phases: Sequence[Phase], role: Role, *, at: datetime) -> list[Phase]:
    """Of phases of one task, those whose standings this role may see: the same as `phases_with_standings`."""
    return [phase for phase in phases if allowed(Thing.RANKING, role, facts_of_phase(phase, at=at))]


def phases_with_results(task: Task, role: Role, *, at: datetime) -> set[int]:
    """The keys of the phases whose leaderboard has a table for this role, if it may see it; one query."""
    latest = Publication.objects.filter(task=task, at__lte=at).order_by("-at", "-pk").values("pk")[:1]
    in_force = Q(in_force_since__isnull=False)
    if role != Role.ORGANISER:
        in_force &= Q(phase__feedback=Phase.Feedback.SCORES)
    published = Q(publications=Subquery(latest), phase__feedback=Phase.Feedback.VALIDITY)
    return set(
        Standing.objects.filter(in_force | published, phase__task=task).values_list("phase", flat=True)
    )


def standings(viewer: Viewer, phase: Phase, *, at: datetime) -> bool:
    return allowed(Thing.RANKING, role_of(viewer, phase.task), facts_of_phase(phase, at=at))


def standing(viewer: Viewer, standing: Standing, *, at: datetime) -> bool:
    """One standing by its own address.

    Participants see what has been published, and also what has been in force in a phase that shows scores. A
    standing that was never in force, because its gold is not, is for organisers only.
    """
    if not standings(viewer, standing.phase, at=at):
        return False
    if organises(viewer, standing.phase.task):
        return True
    if standing.phase.feedback == Phase.Feedback.SCORES and standing.in_force_since is not None:
        return True
    return standing.publications.filter(at__lte=at).exists()


def exact_figures(viewer: Viewer, phase: Phase, *, is_released: bool, at: datetime) -> bool:
    """Whether figures of a phase may be shown unrounded, which reveals the counts behind them.

    While the gold of one test set is sealed, all are shown as printed: averages would reveal that set too.
    """
    situation = replace(
        facts_of_phase(phase, at=at),
        run=RunState.SCORED,
        status=RunStatus.COUNTS,
        gold=GoldState.RELEASED if is_released else GoldState.SEALED,
    )
    return allowed(Thing.COUNTS, role_of(viewer, phase.task), situation)


def gold_is_released(standing: Standing, *, at: datetime) -> bool:
    """Whether all gold that it was computed with is public, in one query."""
    cited = standing.table.get("gold", {})
    versions = GoldVersion.objects.filter(
        test_set__task=standing.task_id, test_set__code__in=cited
    ).order_by()
    return all(
        state_of_gold(released_at, at=at) == GoldState.RELEASED
        for code, number, released_at in versions.values_list("test_set__code", "number", "released_at")
        if cited[code] == number
    )
