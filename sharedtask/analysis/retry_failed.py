"""Retrying failed analyses: an organiser's act, once the cause is fixed.

In: a task and a reason. Out: the number of outputs; workers analyse them as if for the first time.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet

from sharedtask.accounts.models import User
from sharedtask.analysis.analyse import WITHOUT_TREES
from sharedtask.analysis.models import FORMAT, Analysis
from sharedtask.competition import audit, reasons
from sharedtask.competition.models import Task
from sharedtask.work import dispatch
from sharedtask.work.targets import ANALYSE_GOLD


def not_analysed(task: Task) -> QuerySet[Analysis]:
    """The latest first, without those that workers still retry."""
    analyses = Analysis.objects.filter(score__file__run__task=task, format=FORMAT)
    return (
        analyses.exclude(failure__in=["", WITHOUT_TREES])
        .defer("breakdowns", "sentences")
        .order_by("-analysed_at", "-pk")
    )


def analyse_again(*, task: Task, by: User, reason: str, at: datetime | None = None) -> int:
    reason = reasons.required(reason)
    with transaction.atomic():
        failed = list(not_analysed(task).values_list("pk", "score__gold"))
        if not failed:
            return 0
        audit.write(
            task=task,
            who=by,
            action="retry-analyses",
            subject=task,
            reason=reason,
            details={"outputs": len(failed)},
            at=at,
        )
        Analysis.objects.filter(pk__in=[pk for pk, _ in failed]).delete()
        for gold in sorted({gold for _, gold in failed}):
            dispatch.enqueue(ANALYSE_GOLD, gold)
    return len(failed)
