"""Putting corrected gold in force: all corrected versions of a task at once, after scoring against them.

In: a task, who does it and why, and the versions that were compared. Out: a `GoldFix`. Scores against the
earlier versions stay, and so do the standings that were computed with them.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from django.db import transaction

from sharedtask.accounts.models import User
from sharedtask.competition import audit, reasons
from sharedtask.competition.models import GoldVersion, Task
from sharedtask.competition.request_standings import request_standings
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.standings.corrections import pending_corrections
from sharedtask.standings.models import GoldChange, GoldFix
from sharedtask.submissions import rescore
from sharedtask.submissions.models import Score


def put_in_force(
    *, task: Task, by: User, reason: str, compared: Mapping[str, int], at: datetime | None = None
) -> GoldFix:
    """`compared` has, for each test set, the number of the version whose scores the organiser has seen."""
    reason = reasons.required(reason)
    for version in pending_corrections(task):
        # For runs that were checked after the import. Before the transaction, so that
        # these scores stay requested even if this is refused.
        rescore.score_against(version, at=at or clock.database_now())
    with transaction.atomic():
        at = at or clock.database_now()
        task = Task.objects.select_for_update().get(pk=task.pk)
        versions = pending_corrections(task)
        if not versions or dict(compared) != {version.test_set.code: version.number for version in versions}:
            raise Refusal(
                "gold-changed", "Gold has changed since you opened this page. Check the comparison again."
            )
        scores = Score.objects.filter(gold__in=versions, profile_version=task.profile_version)
        waiting = scores.filter(state=Score.State.WAITING).count()
        if waiting:
            files = f"{waiting} files are" if waiting > 1 else "1 file is"
            raise Refusal("still-scoring", f"{files} still being scored against the new gold.")
        fix = GoldFix.objects.create(task=task, at=at, by=by, reason=reason)
        changes = [put_version_in_force(version, fix) for version in versions]
        for phase in task.phases.filter(
            test_sets__in=[version.test_set_id for version in versions]
        ).distinct():
            request_standings(phase.pk, at=at)
        audit.write(
            task=task,
            who=by,
            action="put-gold-in-force",
            subject=fix,
            reason=reason,
            details={
                "versions": {
                    change.after.test_set.code: [change.before.number, change.after.number]
                    for change in changes
                }
            },
            at=at,
        )
    return fix


def put_version_in_force(version: GoldVersion, fix: GoldFix) -> GoldChange:
    test_set = version.test_set
    assert test_set.gold_in_force is not None
    change = GoldChange.objects.create(fix=fix, before=test_set.gold_in_force, after=version)
    test_set.gold_in_force = version
    test_set.save(update_fields=["gold_in_force"])
    return change
