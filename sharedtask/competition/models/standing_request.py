"""A request to recompute the standings of a phase, because something they depend on has changed."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from sharedtask.competition.models.calendar import Phase
from sharedtask.work.lease import Leased


class StandingRequest(Leased):
    """One row per phase, so that a burst of changes is handled once."""

    phase = models.OneToOneField(Phase, on_delete=models.CASCADE, related_name="standing_request")
    since = models.DateTimeField(default=timezone.now)
    changed_at = models.DateTimeField(default=timezone.now)
    progress = models.CharField(
        max_length=40, blank=True, help_text="How far a long computation has come: `official, 40%`."
    )

    failed_at = models.DateTimeField(
        null=True, blank=True, help_text="When the last attempt failed. Computed again after the next change."
    )

    def __str__(self) -> str:
        return f"standings of {self.phase}"
