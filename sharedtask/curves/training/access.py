"""Which trainings a viewer may see: those of the own team, and organisers those of their task."""

from __future__ import annotations

from django.db.models import QuerySet

from sharedtask.accounts.roles import Viewer, previews_another_task, role_of
from sharedtask.curves.models import Training
from sharedtask.visibility.table import allowed
from sharedtask.visibility.terms import Facts, Thing

RELATED = ("version__system__team__task", "version__image", "phase__task")


def may_see(viewer: Viewer, training: Training) -> bool:
    """All its data is released, so that its state is what a team sees of any software."""
    task, team = training.phase.task, training.version.system.team
    role = role_of(viewer, task, team)
    return not previews_another_task(viewer, task) and allowed(Thing.CONTAINER_STATE, role, Facts())


def with_related(trainings: QuerySet[Training]) -> QuerySet[Training]:
    return trainings.select_related(*RELATED)
