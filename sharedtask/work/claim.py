"""Claiming work: a worker owns a row after it has found it free and has written its lease into it.

In: the keys of a message. Out: the rows that are now leased to the caller, without those that another worker
holds or that are done. So a message that arrives twice, or late, has no effect. `heartbeat.py` renews the
lease while the worker is alive. Leases use the database's clock, the only one that all hosts share.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import connection, transaction

from sharedtask.core import clock
from sharedtask.work.dispatch import Key
from sharedtask.work.kinds import LeasedRow, WorkKind
from sharedtask.work.lease import this_worker
from sharedtask.work.losses import free_expired


def claim(kind: WorkKind[LeasedRow], keys: Sequence[Key], *, at: datetime | None = None) -> list[LeasedRow]:
    """The rows are locked first; rows that another worker is claiming at this moment are skipped."""
    at = at or clock.database_now()
    has_key = {f"{kind.key}__in": list(keys)}
    free_expired(kind, kind.waiting().filter(**has_key), at=at)
    with transaction.atomic():
        commit_without_waiting_for_disk()
        locked = kind.ready(at).filter(**has_key).select_for_update(skip_locked=True, of=("self",))
        rows = list(kind.with_related(locked).order_by("pk")[: kind.rows_per_claim])
        values = {"claimed_until": at + kind.lease, "claimed_by": this_worker(), **kind.claimed_values}
        for row in rows:
            for field, value in values.items():
                setattr(row, field, value)
        if rows:
            type(rows[0])._default_manager.filter(pk__in=[row.pk for row in rows]).update(**values)
    return rows


def commit_without_waiting_for_disk() -> None:
    """If the database loses a lease in a crash, the row is simply free again."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL synchronous_commit = off")
