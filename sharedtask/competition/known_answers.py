"""Whether anybody can know how a run of a test phase does before its results are published.

In: a phase and the moment. Out: yes or no. Gold that was public when it came has never been an answer to find
and is left out; what other gold there is may be released, or scores on it may show in another phase.
"""

from __future__ import annotations

from datetime import datetime

from django.db.models import F, QuerySet

from sharedtask.competition.models import GoldVersion, Phase, TestSet


def secret_sets(phase: Phase) -> QuerySet[TestSet]:
    """The test sets of the phase whose gold was not public when it came."""
    public = GoldVersion.objects.filter(number=1, released_at__lte=F("created_at")).values("test_set")
    return phase.test_sets.exclude(pk__in=public)


def gold_is_released(phase: Phase) -> bool:
    return GoldVersion.objects.filter(test_set__in=secret_sets(phase), released_at__isnull=False).exists()


def scores_show_elsewhere(phase: Phase, *, at: datetime) -> bool:
    """In a phase that tells scores on the same test sets as it goes, such as post-evaluation."""
    telling = phase.task.phases.begun(at=at).filter(feedback=Phase.Feedback.SCORES)
    return telling.filter(test_sets__in=secret_sets(phase)).exclude(pk=phase.pk).exists()
