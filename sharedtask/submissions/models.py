"""Runs, their files, and the states they pass through.

A run:   received → checking → scoring → scored, or refused (the archive is no good), or failed (our fault).
A file:  waiting → valid → scored, or invalid, or missing.

Work on either is claimed by setting `claimed_until`, a lease: whoever finds it past may take the work over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.db.models import OuterRef, Q, Subquery
from django.urls import reverse
from django.utils import timezone

from sharedtask.competition.models import Task, TestSet
from sharedtask.publicid import new_public_id
from sharedtask.teams.models import Team

if TYPE_CHECKING:
    from datetime import datetime


class RunQuerySet(models.QuerySet["Run"]):
    def under_way(self, task: Task) -> RunQuerySet:
        return self.filter(task=task).exclude(state__in=Run.FINAL)

    def latest_scored_of_each_team(self, task: Task) -> RunQuerySet:
        """What a leaderboard shows: chosen by time of receipt, never by score."""
        latest = Run.objects.filter(team=OuterRef("team"), task=task, state=Run.State.SCORED)
        first = Subquery(latest.order_by("-received_at", "-pk").values("pk")[:1])
        return self.filter(task=task, state=Run.State.SCORED, pk=first)

    def waiting_for_a_checker(self, *, at: datetime) -> RunQuerySet:
        """Received and unclaimed, or claimed by somebody whose lease has run out."""
        return self.filter(free(at), state__in=[Run.State.RECEIVED, Run.State.CHECKING])


class Run(models.Model):
    class State(models.TextChoices):
        RECEIVED = "received"
        CHECKING = "checking"
        SCORING = "scoring"
        SCORED = "scored"
        REFUSED = "refused"
        FAILED = "failed"

    FINAL = frozenset({State.SCORED, State.REFUSED, State.FAILED})

    public_id = models.CharField(max_length=32, unique=True, default=new_public_id, editable=False)
    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="runs")
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="runs")
    uploaded_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL)

    filename = models.CharField(max_length=200, help_text="As the participant's computer called it.")
    archive = models.CharField(max_length=200, help_text="Name in storage.")
    size_bytes = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)
    received_at = models.DateTimeField(default=timezone.now)

    state = models.CharField(max_length=10, choices=State.choices, default=State.RECEIVED)
    handed_out_at = models.DateTimeField(default=timezone.now)
    claimed_until = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0, help_text="Failures on our side so far.")
    finished_at = models.DateTimeField(null=True, blank=True)

    refusal = models.JSONField(default=dict, blank=True, help_text="The team's fault, shown to the team.")
    organisers_note = models.TextField(blank=True, help_text="Why it failed; organisers only.")
    averages = models.JSONField(default=dict, blank=True, help_text="See submissions/average.py.")

    objects = RunQuerySet.as_manager()

    class Meta:
        ordering = ["-received_at"]
        indexes = [models.Index(fields=["task", "team", "state", "received_at"])]

    def __str__(self) -> str:
        return f"{self.team} {self.public_id}"

    def get_absolute_url(self) -> str:
        return reverse("run", args=[self.public_id])

    @property
    def is_final(self) -> bool:
        return self.state in self.FINAL


class RunFileQuerySet(models.QuerySet["RunFile"]):
    def waiting_for_a_scorer(self, *, at: datetime) -> RunFileQuerySet:
        # No join here: an UPDATE over a join becomes one over a subquery, and PostgreSQL does not look again
        # at what the subquery found after it waited for another claim. Both would succeed.
        scoring = Run.objects.filter(state=Run.State.SCORING)
        return self.filter(free(at), state=RunFile.State.VALID, run__in=scoring)


class RunFile(models.Model):
    class State(models.TextChoices):
        WAITING = "waiting"
        VALID = "valid"
        INVALID = "invalid"
        MISSING = "missing"
        SCORED = "scored"

    DONE = frozenset({State.INVALID, State.MISSING, State.SCORED})

    public_id = models.CharField(max_length=32, unique=True, default=new_public_id, editable=False)
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="files")
    test_set = models.ForeignKey(TestSet, on_delete=models.PROTECT, related_name="run_files")
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    handed_out_at = models.DateTimeField(default=timezone.now)
    claimed_until = models.DateTimeField(null=True, blank=True)

    output = models.CharField(max_length=200, blank=True, help_text="Name in storage.")
    size_bytes = models.PositiveBigIntegerField(default=0)
    incidents = models.JSONField(default=list, blank=True, help_text="Capped per kind.")
    incident_counts = models.JSONField(default=dict, blank=True, help_text="Number of each kind, uncapped.")
    counts = models.JSONField(
        default=dict, blank=True, help_text="Per metric the integers gold, system, correct, aligned."
    )
    signature = models.CharField(max_length=300, blank=True)

    objects = RunFileQuerySet.as_manager()

    class Meta:
        ordering = ["test_set__position", "test_set__code"]
        constraints = [
            models.UniqueConstraint(fields=["run", "test_set"], name="a_run_has_one_file_a_test_set")
        ]

    def __str__(self) -> str:
        return f"{self.test_set.code} of {self.run_id}"

    @property
    def is_done(self) -> bool:
        return self.state in self.DONE


def free(at: datetime) -> Q:
    return Q(claimed_until=None) | Q(claimed_until__lte=at)
