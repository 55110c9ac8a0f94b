"""An organiser discards a version of the scorer that is not in force; the one before is used again."""

from __future__ import annotations

from django.db import transaction

from sharedtask.accounts.models import User
from sharedtask.competition import audit, reasons
from sharedtask.competition.models import Task
from sharedtask.competition.scorer import number_of_scorer
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.scorers.check import choose_newest
from sharedtask.scorers.models import ScorerVersion


def discard_scorer(*, version: ScorerVersion, by: User, reason: str) -> None:
    reason = reasons.required(reason)
    with transaction.atomic():
        task = Task.objects.select_for_update().get(pk=version.task_id)
        if number_of_scorer(task.profile_version) == version.number:
            raise Refusal(
                "scorer-in-force",
                "This version is in force: put another one in force first.",
            )
        ready = ScorerVersion.objects.ready().filter(pk=version.pk)
        if not ready.update(state=ScorerVersion.State.DISCARDED):
            raise Refusal("scorer-not-ready", "Only a version that is ready can be discarded.")
        choose_newest(task)
        audit.write(
            task=task,
            who=by,
            action="discard-scorer",
            subject=version,
            reason=reason,
            details={"number": version.number},
            at=clock.database_now(),
        )
