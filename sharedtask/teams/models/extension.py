"""Later closing times and extra runs that organisers have granted."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from sharedtask.competition.models import Phase
from sharedtask.teams.models.team import Team


class Extension(models.Model):
    """A later closing time, for one team or for all, with the reason for it."""

    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="extensions")
    team = models.ForeignKey(Team, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    closes_at = models.DateTimeField()
    reason = models.TextField()
    granted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    granted_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["granted_at"]

    def __str__(self) -> str:
        return f"{self.phase} until {self.closes_at:%Y-%m-%d %H:%M} UTC for {self.team or 'all teams'}"


class ExtraRuns(models.Model):
    """Runs beyond the quota of one phase, for one team. The audit log has the reasons."""

    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="extra_runs")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="extra_runs")
    number = models.PositiveIntegerField()

    class Meta:
        verbose_name_plural = "extra runs"
        constraints = [
            models.UniqueConstraint(fields=["phase", "team"], name="a_team_has_one_number_of_extra_runs")
        ]

    def __str__(self) -> str:
        return f"{self.number} extra runs of {self.team} in {self.phase}"
