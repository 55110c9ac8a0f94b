"""What organisers read about runs, and what of it they let the team read."""

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
    original = models.TextField(help_text="As it came; organisers only, for ever.")
    released = models.TextField(blank=True, help_text="What the team reads, after redaction.")
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
        BELOW_DEVELOPMENT = "below-development", "far below the same system's development score"
        OUTLIER = "outlier", "a file whose score is an outlier among its siblings"
        IDENTICAL = "identical", "output identical to another team's"
        ONE_LANGUAGE = "one-language", "a system that seems to have used one model for all languages"
        UNCHANGED = "unchanged", "files identical to those of an earlier run of the team"

    # These follow from the upload and the released inputs. All others rest on scores or on other teams, and
    # are the organisers' alone.
    FOR_TEAMS = frozenset({Kind.UNCHANGED, Kind.ONE_LANGUAGE})

    public_id = models.CharField(max_length=32, unique=True, default=new_public_id, editable=False)
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="alarms")
    file = models.ForeignKey(RunFile, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=20, choices=Kind.choices)
    text = models.TextField(help_text="What was noticed, for organisers.")
    raised_at = models.DateTimeField(default=timezone.now)
    told_team_at = models.DateTimeField(null=True, blank=True)
    settled_at = models.DateTimeField(null=True, blank=True, help_text="Nobody has to look at it any more.")
    closed_because = models.CharField(
        max_length=200, blank=True, help_text="Why it no longer holds; empty if an organiser settled it."
    )
    event = models.CharField(max_length=120, unique=True, help_text="The same thing is noticed once.")

    class Meta:
        ordering = ["-raised_at"]

    def __str__(self) -> str:
        return f"{self.kind}: {self.run}"
