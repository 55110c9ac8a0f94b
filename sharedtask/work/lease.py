"""Leases: a worker claims work for a limited time; after it, another worker may take the work over."""

from __future__ import annotations

import os
import socket
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

LEASE = timedelta(seconds=settings.LEASE_SECONDS)
"""A worker renews its lease three times within this time; one that does not counts as dead."""
PATIENCE = LEASE * 2 / 3
"""How long a message may be under way before the sweep sends another one."""


class Leased(models.Model):
    dispatched_at = models.DateTimeField(
        null=True,
        blank=True,
        default=timezone.now,
        help_text="When a message about it was last sent; empty when none is under way.",
    )
    claimed_by = models.CharField(max_length=120, blank=True, help_text="The worker that has claimed it.")
    claimed_until = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0, help_text="Server errors so far.")
    losses = models.PositiveSmallIntegerField(
        default=0, help_text="Workers that died with it or stopped responding so far."
    )
    failure = models.JSONField(
        default=dict,
        blank=True,
        help_text="The last server error: stage, kind, exit code, signal, memory, duration, trace.",
    )

    class Meta:
        abstract = True


def unclaimed(at: datetime) -> Q:
    """The condition for rows that can be claimed: no lease, or one that has expired."""
    return Q(claimed_until=None) | Q(claimed_until__lte=at)


def released() -> dict[str, Any]:
    """The values of a row that no worker holds."""
    return {"claimed_by": "", "claimed_until": None}


def paused(*, until: datetime) -> dict[str, Any]:
    """The values of a row that no worker holds and that cannot be claimed before this time."""
    return released() | {"claimed_until": until}


def fresh_lease(at: datetime) -> dict[str, Any]:
    """The values of a row whose work begins from scratch, with a message sent at this moment."""
    return released() | {"dispatched_at": at, "attempts": 0, "losses": 0, "failure": {}}


def this_worker() -> str:
    """Host and process id, so that an administrator can find it."""
    return f"{socket.gethostname()}:{os.getpid()}"[:120]
