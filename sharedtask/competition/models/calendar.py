"""Phases of a task and their deadlines. The clock alone opens and closes them; no job has to run."""

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

    def to_come(self, *, at: datetime) -> PhaseQuerySet:
        return self.filter(opens_at__gt=at)

    def open(self, *, at: datetime, team: HasKey | None = None) -> PhaseQuerySet:
        """Those that take uploads of this team at this moment, extensions included."""
        # Extensions belong to `teams`, which stands above this package; a phase knows them by the relation.
        whose = Q(extensions__team=None)
        if team is not None:
            whose |= Q(extensions__team=team.pk)
        extended = Phase.objects.filter(whose, pk=OuterRef("pk"), extensions__closes_at__gt=at)
        return self.begun(at=at).filter(Q(closes_at=None) | Q(closes_at__gt=at) | Exists(extended))


class Phase(models.Model):
    class Kind(models.TextChoices):
        DEVELOPMENT = "development", "gold is public, scores are shown"
        TRIAL = "trial", "a rehearsal of the test"
        TEST = "test", "blind; its runs are the official ones"
        POST = "post-evaluation", "after the test; its runs are unofficial"

    class Feedback(models.TextChoices):
        SCORES = "scores", "full scores, differences and trees"
        VALIDITY = "validity", "for every file valid or not, with its incidents; no score is consulted"

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="phases")
    code = models.SlugField(max_length=40)
    kind = models.CharField(max_length=20, choices=Kind.choices)
    title = models.CharField(max_length=80)
    opens_at = models.DateTimeField()
    closes_at = models.DateTimeField(null=True, blank=True)
    feedback = models.CharField(max_length=10, choices=Feedback.choices)
    runs_a_day = models.PositiveIntegerField(null=True, blank=True, help_text="A team's, by the UTC day.")
    runs_in_all = models.PositiveIntegerField(null=True, blank=True, help_text="A team's in this phase.")
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
        """Whether runs received in it count for the official ranking."""
        return self.kind == self.Kind.TEST

    @property
    def needs_registration(self) -> bool:
        """Taking part where scores are hidden needs a registration that an organiser confirmed."""
        return self.feedback == self.Feedback.VALIDITY

    def closing_time(self, team: HasKey | None = None) -> datetime | None:
        """With the extensions for all and, if a team is given, for it; None for a phase that stays open."""
        if self.closes_at is None:
            return None
        whose = {None, team.pk} if team else {None}
        extended = [extension.closes_at for extension in self.extensions.all() if extension.team_id in whose]
        return max([self.closes_at, *extended])

    def last_closing_time(self) -> datetime | None:
        """When it closes for the last team, whoever has an extension; None for a phase that stays open."""
        if self.closes_at is None:
            return None
        return max([self.closes_at, *(extension.closes_at for extension in self.extensions.all())])

    def open_until(self, *, at: datetime) -> str:
        """Until when some team can still upload, in words; empty when none can any more."""
        last = self.last_closing_time()
        if last is None:
            return "without end, because it has no closing time"
        return f"until {last:%Y-%m-%d %H:%M} UTC" if at < last else ""

    def is_open(self, *, at: datetime, team: HasKey | None = None) -> bool:
        """Whether uploads are taken at this moment; the closing second itself is too late."""
        closes_at = self.closing_time(team)
        return self.opens_at <= at and (closes_at is None or at < closes_at)
