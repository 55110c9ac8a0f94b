"""Record what an organiser did: who, what, when, why. Entries are never changed (see append_only.py)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.transaction import TransactionManagementError

from sharedtask.accounts.models import User
from sharedtask.competition.models import AuditEntry, Task
from sharedtask.core import clock


def write(
    *,
    task: Task | None,
    who: User | None,
    action: str,
    subject: object,
    reason: str = "",
    details: dict[str, Any] | None = None,
    at: datetime | None = None,
) -> AuditEntry:
    """Call this inside the transaction of the act, so that both are committed or neither is."""
    if not transaction.get_connection().in_atomic_block:
        raise TransactionManagementError(f"{action} is recorded outside of its transaction")
    return AuditEntry.objects.create(
        task=task,
        at=at or clock.database_now(),
        who=who,
        who_name=who.get_username() if who else "the server",
        action=action,
        subject=str(subject)[:200],
        reason=reason,
        details=details or {},
    )
