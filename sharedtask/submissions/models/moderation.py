"""What organisers read about runs, and which parts of it they release to the team."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from sharedtask.core.public_ids import new_public_id
from sharedtask.submissions.models.file import RunFile
from sharedtask.submissions.models.run import Run


class Message(models.Model):
    """A text about a run that may depend on gold. The team sees it when an organiser has released it."""

    public_id = models.CharField(max_length=32, unique=True, default=new_public_id, editable=False)
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="messages")
    created_at = models.DateTimeField(default=timezone.now)
    original = models.TextField(help_text="The original text; organisers only, permanently.")
    released = models.TextField(blank=True, help_text="The text for the team, after redaction.")
    released_at = models.DateTimeField(null=True, blank=True)
    released_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"message about {self.run}"


class Alarm(models.Model):
    class Kind(models.TextChoices):
        BELOW_DEVELOPMENT = "below-development", "far below development score"
        OUTLIER = "outlier", "outlier"
        IDENTICAL = "identical", "identical to another team's output"
        ONE_LANGUAGE = "one-language", "one model for all languages"
        UNCHANGED = "unchanged", "unchanged files"
        UNEXPECTED = "unexpected", "software does not score as expected"

    # These depend on the upload and the released inputs only, or are raised only where the team sees its
    # scores. All others depend on scores or on other teams, and are shown to organisers only.
    FOR_TEAMS = frozenset({Kind.UNCHANGED, Kind.ONE_LANGUAGE, Kind.UNEXPECTED})

    public_id = models.CharField(max_length=32, unique=True, default=new_public_id, editable=False)
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="alarms")
    file = models.ForeignKey(RunFile, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=20, choices=Kind.choices)
    text = models.TextField(help_text="For organisers.")
    raised_at = models.DateTimeField(default=timezone.now)
    team_notified_at = models.DateTimeField(null=True, blank=True)
    resolved_at = models.DateTimeField(null=True, blank=True, help_text="When it was resolved or closed.")
    closing_reason = models.CharField(
        max_length=200,
        blank=True,
        help_text="Why it was closed automatically; empty if an organiser resolved it.",
    )
    event = models.CharField(
        max_length=120, unique=True, help_text="Identifies the finding, so that it is raised only once."
    )

    class Meta:
        ordering = ["-raised_at"]

    def __str__(self) -> str:
        return f"{self.kind}: {self.run}"
