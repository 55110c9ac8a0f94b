"""More resources for the software of one team than the task gives to all, with the reason for it."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from sharedtask.teams.models import Team


class ResourceGrant(models.Model):
    """The last grant of a team holds; an empty field means the limit of the task."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="resource_grants")
    cpus = models.PositiveIntegerField(null=True, blank=True)
    memory_megabytes = models.PositiveIntegerField(null=True, blank=True)
    minutes = models.PositiveIntegerField(null=True, blank=True)
    reason = models.TextField()
    granted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    granted_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-granted_at", "-pk"]

    def __str__(self) -> str:
        return f"resources of {self.team}"
