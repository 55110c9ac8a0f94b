"""Runs and the states they pass through.

`state` is how far processing has come: received → checking → scoring → scored; or refused (the archive cannot
be used), or failed (a server error). `status` says whether the run counts, or was withdrawn by its team or
rejected by an organiser. The two are independent, so that a rejected run keeps its scores and can be
restored.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, OuterRef, Q, Subquery
from django.urls import reverse
from django.utils import timezone

from sharedtask.competition.models import Phase, Task
from sharedtask.competition.tracks import track_title
from sharedtask.core.public_ids import new_public_id
from sharedtask.teams.models import System, Team
from sharedtask.work.lease import Leased

OF_RECEIPT = ("uploaded_by", "on_behalf", "amends", "filename", "archive", "size_bytes", "single_files")
OF_PROCESSING = ("refusal", "uses_quota", "status_reason", "inspected_at")
OF_WORK = tuple(field.name for field in Leased._meta.fields)


class RunQuerySet(models.QuerySet["Run"]):
    def of_results(self) -> RunQuerySet:
        """Without the fields about receipt and processing, which no page of results reads."""
        return self.defer(*OF_RECEIPT, *OF_PROCESSING, *OF_WORK)

    def under_way(self, phase: Phase) -> RunQuerySet:
        return self.filter(phase=phase).filter(state__in=Run.UNFINISHED)

    def latest_scored_of_each_system(self, phase: Phase) -> RunQuerySet:
        """The rows of the tables of an open phase, by track: chosen by time of receipt, never by score."""
        candidates = Run.objects.filter(phase=phase, state=Run.State.SCORED).counting().outside_series()
        same = candidates.filter(system=OuterRef("system"), track=OuterRef("track"))
        latest = same.order_by("-received_at", "-pk").values("pk")
        return self.filter(phase=phase, pk=Subquery(latest[:1]))

    def in_track(self, track: str) -> RunQuerySet:
        return self.filter(track=track)

    def counting(self) -> RunQuerySet:
        """Neither withdrawn nor rejected."""
        return self.filter(status=Run.Status.COUNTS)

    def outside_series(self) -> RunQuerySet:
        """Without runs on small training samples, which are neither ranked nor official."""
        return self.filter(training_size=None)

    def uploaded(self) -> RunQuerySet:
        """Sent in by a team, not combined by an organiser."""
        return self.exclude(origin=Run.Origin.COMBINED)

    def counting_against_quota(self) -> RunQuerySet:
        return self.filter(uses_quota=True)

    def amendable(self, *, team: Team) -> RunQuerySet:
        """Checked runs that count: only they have files that an amended run may inherit."""
        return self.filter(team=team, checked_at__isnull=False).counting()

    def amendable_or_being_checked(self, *, team: Team) -> RunQuerySet:
        """Also the runs that can be amended as soon as their check has finished."""
        checked_or_pending = Q(checked_at__isnull=False) | Q(
            state__in=[Run.State.RECEIVED, Run.State.CHECKING]
        )
        return self.filter(checked_or_pending, team=team).counting()

    def to_inspect(self) -> RunQuerySet:
        """Checked or finished since a worker last looked for alarms."""
        never_inspected = Q(inspected_at=None)
        finished_since = Q(finished_at__gt=F("inspected_at"))
        return self.filter(never_inspected | finished_since, checked_at__isnull=False)

    def waiting_for_a_check(self) -> RunQuerySet:
        """Including runs that a worker is checking now."""
        return self.filter(state__in=[Run.State.RECEIVED, Run.State.CHECKING])


class Run(Leased):
    class State(models.TextChoices):
        RECEIVED = "received"
        CHECKING = "checking"
        SCORING = "scoring"
        SCORED = "scored"
        REFUSED = "refused"
        FAILED = "failed"

    class Status(models.TextChoices):
        COUNTS = "counts"
        WITHDRAWN = "withdrawn"
        REJECTED = "rejected"

    class Origin(models.TextChoices):
        NEW = "new", "files not in the upload are missing"
        AMENDED = "amended", "files not in the upload are inherited from the amended run"
        COMBINED = "combined", "combined by an organiser from several runs, in a stated order"
        SOFTWARE = "software", "written by the team's software in a container"

    FINAL = frozenset({State.SCORED, State.REFUSED, State.FAILED})
    UNFINISHED = frozenset(State) - FINAL

    public_id = models.CharField(max_length=32, unique=True, default=new_public_id, editable=False)
    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="runs")
    phase = models.ForeignKey(Phase, on_delete=models.PROTECT, related_name="runs")
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="runs")
    system = models.ForeignKey(System, on_delete=models.PROTECT, related_name="runs")
    track = models.CharField(
        max_length=40, blank=True, default="", help_text="Code of its track; empty in a task without tracks."
    )
    number = models.PositiveIntegerField(help_text="Number within the team, from 1.")
    uploaded_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL)
    on_behalf = models.BooleanField(default=False, help_text="Uploaded by an organiser for the team.")
    origin = models.CharField(max_length=10, choices=Origin.choices, default=Origin.NEW)
    amends = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="amended_by"
    )

    filename = models.CharField(max_length=200, help_text="The file name on the participant's computer.")
    archive = models.CharField(max_length=200, blank=True, help_text="Name in storage.")
    size_bytes = models.PositiveBigIntegerField(default=0)
    sha256 = models.CharField(max_length=64, blank=True)
    single_files = models.JSONField(
        default=list,
        blank=True,
        help_text="Name, size and SHA-256 of each file uploaded on its own; empty for an archive.",
    )
    produced = models.JSONField(
        default=dict,
        blank=True,
        help_text="Not empty if software wrote a file of this run, or of a run whose files it takes: "
        "by code of each test set that it could read, its file in storage or null.",
    )
    declared_score = models.FloatField(
        null=True, blank=True, help_text="Of software: what the team expects of the first main metric."
    )
    received_at = models.DateTimeField(help_text="When the last byte arrived, by the database's clock.")
    note = models.CharField(
        max_length=200, blank=True, help_text="By the team, for itself; organisers can read it."
    )
    training_size = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text="Sentences of the training sample, for a run in a series of its system; else empty.",
    )
    training_sample = models.PositiveIntegerField(
        null=True, blank=True, help_text="Number of the sample among those of the same size, from 1."
    )
    uses_quota = models.BooleanField(default=True)

    state = models.CharField(max_length=10, choices=State.choices, default=State.RECEIVED)
    refusal = models.JSONField(
        default=dict, blank=True, help_text="Why the archive was refused; shown to the team."
    )
    checked_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    status = models.CharField(max_length=10, choices=Status.choices, default=Status.COUNTS)
    status_reason = models.TextField(blank=True)
    withdrawn_after_closing = models.BooleanField(
        default=False,
        help_text="Withdrawn after its phase had closed for its team: no other run takes its place.",
    )
    # The two marks are independent: when organisers remove theirs, the team's applies again.
    marked_official_at = models.DateTimeField(null=True, blank=True, help_text="When the team marked it.")
    marked_by_organiser = models.BooleanField(default=False, help_text="Overrides the team's mark.")
    inspected_at = models.DateTimeField(
        null=True, blank=True, help_text="When a worker last looked for alarms, after the check or scoring."
    )

    objects = RunQuerySet.as_manager()

    class Meta:
        ordering = ["-received_at"]
        indexes = [models.Index(fields=["task", "team", "state", "received_at"])]
        constraints = [
            models.UniqueConstraint(fields=["team", "number"], name="a_run_number_is_used_once_in_a_team"),
            models.CheckConstraint(
                condition=Q(training_size=None, training_sample=None)
                # A comparison with NULL is not false, so it has to be excluded by itself.
                | Q(training_size__isnull=False, training_sample__isnull=False)
                & Q(training_size__gte=1, training_sample__gte=1),
                name="a_run_in_a_series_has_size_and_sample",
            ),
        ]

    def __str__(self) -> str:
        return f"run {self.number} of {self.team}"

    def get_absolute_url(self) -> str:
        return reverse("run", args=[self.public_id])

    @property
    def track_title(self) -> str:
        """Empty in a task without tracks."""
        return track_title(self.task, self.track) if self.track else ""

    @property
    def is_withdrawn(self) -> bool:
        """On its own, or with its whole system."""
        return self.status == self.Status.WITHDRAWN or self.system.withdrawn_at is not None

    @property
    def is_final(self) -> bool:
        return self.state in self.FINAL

    @property
    def is_trained_here(self) -> bool:
        """Whether the server has trained the system on a sample, one of tens of a series."""
        return self.origin == self.Origin.SOFTWARE and self.training_size is not None

    @property
    def has_software_output(self) -> bool:
        """Also if it inherited a file: the file is still as secret as what the software could read."""
        return bool(self.produced)


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
