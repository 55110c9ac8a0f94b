"""Retrying a data package that workers could not write: an organiser's act, once the cause is fixed.

In: a task and a reason. Out: how many packages wait again; workers write them as if for the first time.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from sharedtask.accounts.models import User
from sharedtask.archive.models import Package
from sharedtask.competition import audit, reasons
from sharedtask.competition.models import Task
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.work import dispatch
from sharedtask.work.lease import fresh_lease
from sharedtask.work.targets import PACK_RESULTS


def retry_package(*, task: Task, by: User, reason: str, at: datetime | None = None) -> int:
    reason = reasons.required(reason)
    with transaction.atomic():
        at = at or clock.database_now()
        failed = Package.objects.failed().filter(publication__task=task)
        publications = list(failed.select_for_update().values_list("publication", flat=True))
        if not publications:
            raise Refusal("package-not-failed", "No data package of this task has failed.")
        failed.update(failed_at=None, **fresh_lease(at))
        audit.write(task=task, who=by, action="retry-package", subject=task, reason=reason, at=at)
        for publication in publications:
            dispatch.enqueue(PACK_RESULTS, publication)
    return len(publications)
