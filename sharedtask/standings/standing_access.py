"""Which rankings a viewer may see: of which phases, and one standing by its own address."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from sharedtask.accounts.roles import Viewer, organises, role_of
from sharedtask.competition.models import Phase, Task
from sharedtask.competition.task_access import facts_of_phase, tasks
from sharedtask.standings.models import Publication, Standing
from sharedtask.visibility.table import allowed
from sharedtask.visibility.terms import Thing


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
    return allowed(Thing.RANKING, role_of(viewer, phase.task), facts_of_phase(phase, at=at))


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
