"""Organisers release what software printed on blind data, whole or redacted. It cannot be undone."""

from __future__ import annotations

from django.db import transaction

from sharedtask.accounts.models import User
from sharedtask.competition import audit, reasons
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.software import notify
from sharedtask.software.models import Execution
from sharedtask.work.failure import printable

MAX_CHARACTERS = 64 * 1024


def release_log(*, execution: Execution, text: str, by: User, reason: str) -> None:
    reason = reasons.required(reason)
    text = printable(text.strip("\r\n"), longest=MAX_CHARACTERS)
    if not text.strip():
        raise Refusal("log-empty", "The text is empty.", expected="a text")
    at = clock.database_now()
    with transaction.atomic():
        unreleased = Execution.objects.filter(pk=execution.pk, log_released_at=None)
        if not unreleased.update(released_log=text, log_released_at=at):
            raise Refusal("log-already-released", "The log of this execution has already been released.")
        audit.write(
            task=execution.task,
            who=by,
            action="release-log",
            subject=execution,
            reason=reason,
            details={"execution": execution.public_id, "characters": len(text), "released": text[:20_000]},
            at=at,
        )
        notify.send_log_released(execution, at=at)
