"""Phases of a task and their deadlines. They open and close by time alone; no job has to run."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from django.db import models
from django.db.models import Exists, OuterRef, Q

from sharedtask.accounts.roles import HasKey
from sharedtask.competition.models.task import Task

if TYPE_CHECKING:
    from sharedtask.competition.models.testset import TestSet


class PhaseQuerySet(models.QuerySet["Phase"]):
    def begun(self, *, at: datetime) -> PhaseQuerySet:
        return self.filter(opens_at__lte=at)

    def upcoming(self, *, at: datetime) -> PhaseQuerySet:
        return self.filter(opens_at__gt=at)

    def open(self, *, at: datetime, team: HasKey | None = None) -> PhaseQuerySet:
        """Those that take uploads from this team at this time, including extensions."""
        # Extensions belong to the higher package `teams`; here they are reached through the relation.
        granted = Q(extensions__team=None)
        if team is not None:
            granted |= Q(extensions__team=team.pk)
        extended = Phase.objects.filter(granted, pk=OuterRef("pk"), extensions__closes_at__gt=at)
        return self.begun(at=at).filter(Q(closes_at=None) | Q(closes_at__gt=at) | Exists(extended))


class Phase(models.Model):
    class Kind(models.TextChoices):
        DEVELOPMENT = "development", "gold is public, scores are shown"
        TRIAL = "trial", "a dry run of the test"
        TEST = "test", "blind; its runs are the official ones"
        POST = "post-evaluation", "after the test; its runs are unofficial"

    class Feedback(models.TextChoices):
        SCORES = "scores", "full scores, differences and trees"
        VALIDITY = "validity", "valid or not for each file, with its incidents; no scores"

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="phases")
    code = models.SlugField(max_length=40)
    kind = models.CharField(max_length=20, choices=Kind.choices)
    title = models.CharField(max_length=80)
    opens_at = models.DateTimeField()
    closes_at = models.DateTimeField(null=True, blank=True)
    feedback = models.CharField(max_length=10, choices=Feedback.choices)
    runs_per_day = models.PositiveIntegerField(null=True, blank=True, help_text="Per team and UTC day.")
    runs_total = models.PositiveIntegerField(null=True, blank=True, help_text="Per team in this phase.")
    software = models.BooleanField(default=False, help_text="Teams may submit software to be run here.")
    software_runs_per_day = models.PositiveIntegerField(null=True, blank=True)
    software_runs_total = models.PositiveIntegerField(null=True, blank=True)
    results_withheld = models.BooleanField(
        default=False,
        editable=False,
        help_text="Organisers have published results of the task without this phase: it stays blind.",
    )
    test_sets: models.ManyToManyField[TestSet, models.Model] = models.ManyToManyField(
        "competition.TestSet", related_name="phases", blank=True
    )

    objects = PhaseQuerySet.as_manager()

    class Meta:
        ordering = ["opens_at", "code"]
        constraints = [
            models.UniqueConstraint(fields=["task", "code"], name="a_phase_code_is_used_once_in_a_task"),
            models.CheckConstraint(
                condition=Q(closes_at=None) | Q(closes_at__gt=models.F("opens_at")),
                name="a_phase_closes_after_it_opens",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.title} of {self.task}"

    @property
    def is_official(self) -> bool:
        """Whether its runs count for the official ranking."""
        return self.kind == self.Kind.TEST

    @property
    def open_policy(self) -> str:
        """Which run of each system is ranked where no run is official. A blind phase ranks the latest.

        Ranking the best would tell a team in a blind phase which of its runs that is.
        """
        shows_scores = self.feedback == self.Feedback.SCORES
        return self.task.open_policy if shows_scores else Task.OpenPolicy.LATEST

    @property
    def needs_registration(self) -> bool:
        """Blind phases are open only to teams whose registration an organiser has confirmed."""
        return self.feedback == self.Feedback.VALIDITY

    def closing_time(self, team: HasKey | None = None) -> datetime | None:
        """Including extensions for all teams and for the given team; None for a phase that stays open."""
        if self.closes_at is None:
            return None
        team_ids = {None, team.pk} if team else {None}
        extended = [
            extension.closes_at for extension in self.extensions.all() if extension.team_id in team_ids
        ]
        return max([self.closes_at, *extended])

    def last_closing_time(self) -> datetime | None:
        """When it closes for the last team, including all extensions; None for a phase that stays open."""
        if self.closes_at is None:
            return None
        return max([self.closes_at, *(extension.closes_at for extension in self.extensions.all())])

    def open_until(self, *, at: datetime) -> str:
        """Until when a team can still upload, as text; empty if no team can."""
        last = self.last_closing_time()
        if last is None:
            return "indefinitely, because the phase has no closing time"
        return f"until {last:%Y-%m-%d %H:%M} UTC" if at < last else ""

    def is_open(self, *, at: datetime, team: HasKey | None = None) -> bool:
        """Whether uploads are accepted at this time; the closing time itself is too late."""
        closes_at = self.closing_time(team)
        return self.opens_at <= at and (closes_at is None or at < closes_at)
