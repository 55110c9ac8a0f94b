"""Work that is claimed for a while: whoever finds the lease run out may take the work over."""

from __future__ import annotations

from datetime import datetime

from django.db import models
from django.db.models import Q
from django.utils import timezone


class Leased(models.Model):
    handed_out_at = models.DateTimeField(default=timezone.now)
    claimed_by = models.CharField(max_length=120, blank=True, help_text="The worker that has it.")
    claimed_until = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0, help_text="Failures on our side so far.")
    failure = models.JSONField(
        default=dict,
        blank=True,
        help_text="The last failure on our side: stage, kind, signal, duration, trace.",
    )

    class Meta:
        abstract = True


def free(at: datetime) -> Q:
    return Q(claimed_until=None) | Q(claimed_until__lte=at)
