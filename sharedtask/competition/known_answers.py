"""Whether the answers of a test phase can be known before its results are published.

In: a phase and a time. Out: yes or no. Answers are known if gold has been released or if another phase shows
scores on the same test sets. Gold that was public from the start is ignored, because it was never secret.
"""

from __future__ import annotations

from datetime import datetime

from django.db.models import F, QuerySet

from sharedtask.competition.models import GoldVersion, Phase, TestSet


def secret_sets(phase: Phase) -> QuerySet[TestSet]:
    """The test sets of the phase whose gold was not public from the start."""
    public = GoldVersion.objects.filter(number=1, released_at__lte=F("created_at")).values("test_set")
    return phase.test_sets.exclude(pk__in=public)


def gold_is_released(phase: Phase) -> bool:
    return GoldVersion.objects.filter(test_set__in=secret_sets(phase), released_at__isnull=False).exists()


def scores_visible_elsewhere(phase: Phase, *, at: datetime) -> bool:
    """In another phase that shows scores on the same test sets, such as post-evaluation."""
    showing = phase.task.phases.begun(at=at).filter(feedback=Phase.Feedback.SCORES)
    return showing.filter(test_sets__in=secret_sets(phase)).exclude(pk=phase.pk).exists()
