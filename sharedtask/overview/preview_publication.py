"""Preview the publication of results: publish in a transaction that is always rolled back.

In: a task and a time. Inside the context, the database contains the publication, for this request and
connection only. Pages need no special case for the preview.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from django.db import transaction
from django.db.models import Q

from sharedtask.competition.models import Phase, Task
from sharedtask.standings.models import Publication, Standing
from sharedtask.standings.readiness import is_published_by_default, public_standings


@contextmanager
def preview_publication(task: Task, *, at: datetime) -> Iterator[None]:
    """Publish the current standings, even if publishing would be refused at the moment.

    Those that the page for publishing has ticked: phases without one of them stay blind.
    """
    with transaction.atomic():
        public = public_standings(task, at=at)
        in_force = standings_in_force(task, at=at)
        chosen = [
            standing
            for standing in in_force
            if (standing.phase_id, standing.track, standing.ranking) in public
            or is_published_by_default(standing.phase, standing.ranking)
        ]
        publication = Publication.objects.create(task=task, at=at)
        publication.standings.set(chosen)
        included = {standing.phase_id for standing in chosen}
        blind = task.phases.begun(at=at).exclude(feedback=Phase.Feedback.SCORES)
        blind.exclude(pk__in=included).update(results_withheld=True)
        Phase.objects.filter(pk__in=included).update(results_withheld=False)
        later = Q(results_published_at=None) | Q(results_published_at__gt=at)
        Task.objects.filter(later, pk=task.pk).update(results_published_at=at)
        try:
            yield
        finally:
            transaction.set_rollback(True)


def standings_in_force(task: Task, *, at: datetime) -> list[Standing]:
    """The newest of each ranking, for phases that show no scores while they are open."""
    newest: dict[tuple[int, str, str], Standing] = {}
    for phase in task.phases.begun(at=at).exclude(feedback=Phase.Feedback.SCORES):
        for standing in Standing.objects.in_force(phase).select_related("phase"):
            newest.setdefault((phase.pk, standing.track, standing.ranking), standing)
    return list(newest.values())
