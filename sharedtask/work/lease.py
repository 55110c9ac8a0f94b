"""Work that is claimed for a while: whoever finds the lease run out may take the work over."""

from __future__ import annotations

import os
import socket
from datetime import datetime, timedelta

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

LEASE = timedelta(seconds=settings.LEASE_SECONDS)
"""A worker that lives renews its lease three times in this span; whoever does not is taken for dead."""


class Leased(models.Model):
    handed_out_at = models.DateTimeField(default=timezone.now)
    claimed_by = models.CharField(max_length=120, blank=True, help_text="The worker that has it.")
    claimed_until = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0, help_text="Failures on our side so far.")
    losses = models.PositiveSmallIntegerField(
        default=0, help_text="Workers that died with it or fell silent so far."
    )
    failure = models.JSONField(
        default=dict,
        blank=True,
        help_text="The last failure on our side: stage, kind, exit code, signal, memory, duration, trace.",
    )

    class Meta:
        abstract = True


def free(at: datetime) -> Q:
    return Q(claimed_until=None) | Q(claimed_until__lte=at)


def this_worker() -> str:
    """Machine and process, by which an operator finds it."""
    return f"{socket.gethostname()}:{os.getpid()}"[:120]
