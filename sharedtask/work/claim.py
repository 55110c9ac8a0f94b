"""Claiming work: a worker owns a row only when it has found it free and has written its lease on it.

In: the keys of a message. Out: the rows that are now leased to the caller, without those that somebody else
holds or that are done. A message that comes twice, or late, therefore does nothing. `heartbeat.py` renews the
lease while the worker lives. Leases go by the database's clock, the only one that all hosts share.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import connection, transaction

from sharedtask.core import clock
from sharedtask.work.dispatch import Key
from sharedtask.work.kinds import Kind, Row
from sharedtask.work.lease import this_worker
from sharedtask.work.losses import free_expired


def claim(kind: Kind[Row], keys: Sequence[Key], *, at: datetime | None = None) -> list[Row]:
    """The rows are locked first, and nobody waits for a row that another worker is claiming."""
    at = at or clock.database_now()
    named = {f"{kind.key}__in": list(keys)}
    free_expired(kind, kind.waiting().filter(**named), at=at)
    with transaction.atomic():
        forget_in_a_crash()
        locked = kind.ready(at).filter(**named).select_for_update(skip_locked=True, of=("self",))
        rows = list(locked.select_related(*kind.related).order_by("pk")[: kind.rows_per_claim])
        values = {"claimed_until": at + kind.lease, "claimed_by": this_worker(), **kind.claimed_values}
        for row in rows:
            for field, value in values.items():
                setattr(row, field, value)
        if rows:
            type(rows[0])._default_manager.filter(pk__in=[row.pk for row in rows]).update(**values)
    return rows


def forget_in_a_crash() -> None:
    """A lease that the database loses in a crash leaves the work free: nobody need wait for the disk."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL synchronous_commit = off")
