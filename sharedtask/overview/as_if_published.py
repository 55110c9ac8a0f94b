"""As if an organiser had just published: the act itself, in a transaction that never ends well.

In: a task and the moment. Out: a database that has the publication in it, for this request and connection
alone, until it is rolled back. Every page then shows what it would show, without knowing of any pretence.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from django.db import transaction
from django.db.models import Q

from sharedtask.competition.models import Phase, Task
from sharedtask.standings.models import Publication, Standing


@contextmanager
def as_if_published(task: Task, *, at: datetime) -> Iterator[None]:
    """What holds now is published, whether or not publishing would be refused for now."""
    with transaction.atomic():
        publication = Publication.objects.create(task=task, at=at)
        publication.standings.set(standings_that_hold(task, at=at))
        later = Q(results_published_at=None) | Q(results_published_at__gt=at)
        Task.objects.filter(later, pk=task.pk).update(results_published_at=at)
        try:
            yield
        finally:
            transaction.set_rollback(True)


def standings_that_hold(task: Task, *, at: datetime) -> list[Standing]:
    """The newest of each ranking, of the phases that show nothing while they run."""
    found: dict[tuple[int, str], Standing] = {}
    for phase in task.phases.begun(at=at).exclude(feedback=Phase.Feedback.SCORES):
        for standing in Standing.objects.in_force(phase):
            found.setdefault((phase.pk, standing.ranking), standing)
    return list(found.values())
