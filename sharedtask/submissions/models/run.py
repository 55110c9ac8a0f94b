"""Runs and the states they pass through.

received → checking → scoring → scored; or refused (the archive is no good), or failed (our fault). What
becomes of a run afterwards, rejected by an organiser or withdrawn by its team, is told by `fate`, so that it
keeps its scores and the way back.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, OuterRef, Q, Subquery
from django.urls import reverse
from django.utils import timezone

from sharedtask.competition.models import Phase, Task
from sharedtask.core.public_ids import new_public_id
from sharedtask.teams.models import System, Team
from sharedtask.work.lease import Leased


class RunQuerySet(models.QuerySet["Run"]):
    def under_way(self, phase: Phase) -> RunQuerySet:
        return self.filter(phase=phase).exclude(state__in=Run.FINAL)

    def latest_scored_of_each_system(self, phase: Phase) -> RunQuerySet:
        """What the table of an open phase shows: chosen by time of receipt, never by score."""
        candidates = Run.objects.filter(phase=phase, state=Run.State.SCORED).that_count()
        latest = candidates.filter(system=OuterRef("system")).order_by("-received_at", "-pk").values("pk")
        return self.filter(phase=phase, pk=Subquery(latest[:1]))

    def that_count(self) -> RunQuerySet:
        return self.filter(fate=Run.Fate.COUNTS)

    def uploaded(self) -> RunQuerySet:
        """Those that a team sent in, not put together by an organiser."""
        return self.exclude(origin=Run.Origin.COMBINED)

    def spending_quota(self) -> RunQuerySet:
        return self.filter(spends_quota=True)

    def that_can_be_amended(self, *, team: Team) -> RunQuerySet:
        """Only a run that has been checked has files to inherit; a rejected one has none to give."""
        return self.filter(team=team, checked_at__isnull=False).that_count()

    def that_may_be_amended_by_and_by(self, *, team: Team) -> RunQuerySet:
        """Those, and the ones whose check is still to come."""
        checked = Q(checked_at__isnull=False) | Q(state__in=[Run.State.RECEIVED, Run.State.CHECKING])
        return self.filter(checked, team=team).that_count()

    def to_inspect(self) -> RunQuerySet:
        """Checked or finished since a worker last looked for alarms."""
        never = Q(inspected_at=None)
        return self.filter(never | Q(finished_at__gt=F("inspected_at")), checked_at__isnull=False)

    def waiting_for_a_check(self) -> RunQuerySet:
        """Whether or not a worker is at it."""
        return self.filter(state__in=[Run.State.RECEIVED, Run.State.CHECKING])


class Run(Leased):
    class State(models.TextChoices):
        RECEIVED = "received"
        CHECKING = "checking"
        SCORING = "scoring"
        SCORED = "scored"
        REFUSED = "refused"
        FAILED = "failed"

    class Fate(models.TextChoices):
        COUNTS = "counts"
        WITHDRAWN = "withdrawn"
        REJECTED = "rejected"

    class Origin(models.TextChoices):
        NEW = "new", "an absent file is missing"
        AMENDED = "amended", "an absent file is inherited from the run it amends"
        COMBINED = "combined", "put together by an organiser from several runs in a stated order"

    FINAL = frozenset({State.SCORED, State.REFUSED, State.FAILED})

    public_id = models.CharField(max_length=32, unique=True, default=new_public_id, editable=False)
    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="runs")
    phase = models.ForeignKey(Phase, on_delete=models.PROTECT, related_name="runs")
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="runs")
    system = models.ForeignKey(System, on_delete=models.PROTECT, related_name="runs")
    number = models.PositiveIntegerField(help_text="Counts the runs of a team, from 1.")
    uploaded_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL)
    on_behalf = models.BooleanField(default=False, help_text="An organiser uploaded it for the team.")
    origin = models.CharField(max_length=10, choices=Origin.choices, default=Origin.NEW)
    amends = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="amended_by"
    )

    filename = models.CharField(max_length=200, help_text="As the participant's computer called it.")
    archive = models.CharField(max_length=200, blank=True, help_text="Name in storage.")
    size_bytes = models.PositiveBigIntegerField(default=0)
    sha256 = models.CharField(max_length=64, blank=True)
    sent = models.JSONField(
        default=list,
        blank=True,
        help_text="Name, size and SHA-256 of each file that came by itself; empty for an archive.",
    )
    received_at = models.DateTimeField(help_text="By the database's clock, when the last byte had come.")
    spends_quota = models.BooleanField(default=True)

    state = models.CharField(max_length=10, choices=State.choices, default=State.RECEIVED)
    refusal = models.JSONField(default=dict, blank=True, help_text="The team's fault, shown to the team.")
    checked_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    fate = models.CharField(max_length=10, choices=Fate.choices, default=Fate.COUNTS)
    fate_reason = models.TextField(blank=True)
    withdrawn_after_closing = models.BooleanField(
        default=False,
        help_text="Withdrawn when its phase had closed for its team: no other run takes its place.",
    )
    # Two marks that do not touch each other: when organisers take theirs back, the team's holds again.
    marked_official_at = models.DateTimeField(null=True, blank=True, help_text="The team's own mark.")
    marked_by_organiser = models.BooleanField(default=False, help_text="Stands above the team's mark.")
    inspected_at = models.DateTimeField(
        null=True, blank=True, help_text="When a worker last looked for alarms, after the check or scoring."
    )

    objects = RunQuerySet.as_manager()

    class Meta:
        ordering = ["-received_at"]
        indexes = [models.Index(fields=["task", "team", "state", "received_at"])]
        constraints = [
            models.UniqueConstraint(fields=["team", "number"], name="a_run_number_is_used_once_in_a_team")
        ]

    def __str__(self) -> str:
        return f"run {self.number} of {self.team}"

    def get_absolute_url(self) -> str:
        return reverse("run", args=[self.public_id])

    @property
    def is_withdrawn(self) -> bool:
        """By itself, or with its whole system."""
        return self.fate == self.Fate.WITHDRAWN or self.system.withdrawn_at is not None

    @property
    def is_final(self) -> bool:
        return self.state in self.FINAL


class CombinedPart(models.Model):
    """A run that a combined run takes files from; the first valid file of each test set counts."""

    combined = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="parts")
    part = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="+")
    position = models.PositiveSmallIntegerField()
    added_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["combined", "position"]
        constraints = [
            models.UniqueConstraint(fields=["combined", "position"], name="a_place_has_one_part"),
            models.UniqueConstraint(fields=["combined", "part"], name="a_part_has_one_place"),
        ]

    def __str__(self) -> str:
        return f"{self.position}. {self.part}"
