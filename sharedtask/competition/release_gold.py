"""Release gold: an act of an organiser, never automatic. A worker then writes the decrypted copies.

In: a task, who acts and why. Out: the released versions, those in force of the chosen test sets. A release
cannot be undone.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from django.db import transaction

from sharedtask.accounts.models import User
from sharedtask.competition import audit, reasons
from sharedtask.competition.models import GoldVersion, Phase, Task, TestSet
from sharedtask.competition.request_standings import request_standings
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.work import dispatch
from sharedtask.work.targets import PREPARE_GOLD


def release_gold(
    *,
    task: Task,
    by: User,
    reason: str,
    codes: Collection[str] | None = None,
    at: datetime | None = None,
) -> list[GoldVersion]:
    """Without `codes`, of all test sets. Refused for sets with secret inputs or in an open test phase."""
    reason = reasons.required(reason)
    with transaction.atomic():
        at = at or clock.database_now()
        task = Task.objects.select_for_update().get(pk=task.pk)
        chosen = task.test_sets.all() if codes is None else task.test_sets.filter(code__in=codes)
        versions = []
        for test_set in chosen.select_related("gold_in_force"):
            version = test_set.gold_in_force
            if version is None or version.is_released:
                continue
            if not test_set.has_released_inputs(at=at):
                raise Refusal(
                    "inputs-not-released",
                    f"The inputs of {test_set.code} have not been released yet. "
                    "Gold cannot be released before them.",
                )
            refuse_open_test(test_set, at=at)
            versions.append(version)
        if not versions:
            raise Refusal("nothing-to-release", "The chosen test sets have no gold to release.")
        for version in versions:
            version.released_at = at
            version.save(update_fields=["released_at"])
            dispatch.enqueue(PREPARE_GOLD, version.pk)
        # Signatures contain the plain hash of gold once it is public.
        for phase in task.phases.begun(at=at):
            request_standings(phase.pk, at=at)
        audit.write(
            task=task,
            who=by,
            action="release-gold",
            subject=", ".join(version.test_set.code for version in versions),
            reason=reason,
            details={"versions": {version.test_set.code: version.number for version in versions}},
            at=at,
        )
    return versions


def refuse_open_test(test_set: TestSet, *, at: datetime) -> None:
    """A team that can still upload could simply submit the gold file."""
    for phase in test_set.phases.filter(feedback=Phase.Feedback.VALIDITY).exclude(kind=Phase.Kind.POST):
        if until := phase.open_until(at=at):
            raise Refusal(
                "gold-of-an-open-test",
                f"{test_set.code} is a test set of {phase.title}, where a team can still upload {until}. "
                "Its gold cannot be released yet.",
                expected="a test phase that has closed for all teams",
            )
