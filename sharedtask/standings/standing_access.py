"""Which standings a viewer may see: those of a phase, or one by its own address."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, TypedDict

from django.db.models import (
    BooleanField,
    Case,
    Exists,
    ExpressionWrapper,
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    When,
)

from sharedtask.accounts.roles import Viewer, is_administrator, may_organise, organises, role_of
from sharedtask.competition.models import GoldVersion, Phase, Task
from sharedtask.competition.task_access import facts_of_phase, gold_state, tasks
from sharedtask.standings.models import Publication, Standing
from sharedtask.visibility.table import allowed
from sharedtask.visibility.terms import GoldState, RunState, RunStatus, Thing

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations


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


def results_first(phases: QuerySet[Phase], viewer: Viewer, *, at: datetime) -> QuerySet[Phase]:
    """First those whose leaderboard has a table for this viewer; of these the test, then the latest."""
    in_force = Exists(Standing.objects.filter(phase=OuterRef("pk"), in_force_since__isnull=False))
    latest = Publication.objects.filter(task=OuterRef("task"), at__lte=at).order_by("-at", "-pk")
    published = Exists(
        Standing.objects.filter(phase=OuterRef("pk"), publications=Subquery(latest.values("pk")[:1]))
    )
    organised = Task.objects.filter(organisers=viewer.pk) if may_organise(viewer) else Task.objects.none()
    sees_unpublished = Q() if is_administrator(viewer) else Q(task__in=organised)
    is_shown = Q(published) | (sees_unpublished & Q(in_force))
    return phases.alias(
        has_results=Case(When(feedback=Phase.Feedback.SCORES, then=in_force), default=is_shown),
        is_test=Q(kind=Phase.Kind.TEST),
    ).order_by("-has_results", "-is_test", "-opens_at", "code")


class Marks(TypedDict):
    is_visible: bool
    """Whether the viewer may see its standings. Otherwise it is a test that has closed."""


def with_unpublished_tests(
    phases: QuerySet[Phase], visible: QuerySet[Phase], *, at: datetime
) -> QuerySet[WithAnnotations[Phase, Marks]]:
    """Of these phases the visible ones, and the tests that have closed and are not published yet."""
    closed = Q(kind=Phase.Kind.TEST) & ~Q(pk__in=Phase.objects.open(at=at).values("pk"))
    is_visible = Q(pk__in=visible.order_by().values("pk"))
    started = phases.filter(opens_at__lte=at)
    return started.filter(is_visible | closed).annotate(
        is_visible=ExpressionWrapper(is_visible, BooleanField())
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
    versions = GoldVersion.objects.filter(test_set__task=standing.task_id, test_set__code__in=cited)
    return all(
        gold_state(version, at=at) == GoldState.RELEASED
        for version in versions.select_related("test_set")
        if cited[version.test_set.code] == version.number
    )
