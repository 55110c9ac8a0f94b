"""Experiments with constraints, and the states they pass through.

preparing (a worker writes the inputs) → running (its executions, one or two at a time) → done; or stopped, by
somebody or because a control failed or an output cannot be used; or failed after a server error. One that was
stopped or has failed can be resumed: only what is missing is run.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils import timezone

from evaluation.errors.classes import ErrorClasses
from evaluation.errors.parse import parse_classes
from sharedtask.competition.models import GoldVersion, Task, TestSet
from sharedtask.core.public_ids import new_public_id
from sharedtask.software.models import SystemVersion
from sharedtask.teams.models import Team
from sharedtask.work.lease import Leased


class ExperimentQuerySet(models.QuerySet["Experiment"]):
    def under_way(self) -> ExperimentQuerySet:
        """Including those that a worker has in hand."""
        return self.filter(state__in=[Experiment.State.PREPARING, Experiment.State.RUNNING])

    def done(self) -> ExperimentQuerySet:
        return self.filter(state=Experiment.State.DONE)


class Experiment(Leased):
    class State(models.TextChoices):
        PREPARING = "preparing", "inputs are being prepared"
        RUNNING = "running"
        DONE = "done"
        STOPPED = "stopped"
        FAILED = "failed", "server error"

    public_id = models.CharField(max_length=32, unique=True, default=new_public_id, editable=False)
    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="experiments")
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="experiments")
    version = models.ForeignKey(SystemVersion, on_delete=models.PROTECT, related_name="experiments")
    classes = models.TextField(help_text="The error classes, as in a file of them.")
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    on_behalf = models.BooleanField(default=False, help_text="Started by an organiser.")
    requested_at = models.DateTimeField(default=timezone.now)
    resumed_at = models.DateTimeField(
        null=True, blank=True, help_text="Parts that ended without a result before this time are run again."
    )
    state = models.CharField(max_length=10, choices=State.choices, default=State.PREPARING)
    controls_hold = models.BooleanField(default=False, help_text="Classes are run only afterwards.")
    stop_requested_at = models.DateTimeField(null=True, blank=True)
    problem = models.TextField(blank=True, help_text="Why it was stopped or has failed.")
    finished_at = models.DateTimeField(null=True, blank=True)
    published_at = models.DateTimeField(null=True, blank=True)

    objects = ExperimentQuerySet.as_manager()

    class Meta:
        ordering = ["-requested_at", "-pk"]

    def __str__(self) -> str:
        return f"experiment {self.public_id}"

    def get_absolute_url(self) -> str:
        return reverse("experiment", args=[self.task.slug, self.public_id])

    @property
    def is_under_way(self) -> bool:
        return self.state in (self.State.PREPARING, self.State.RUNNING)

    @property
    def error_classes(self) -> ErrorClasses:
        return parse_classes(self.classes.encode())


class ExperimentSet(models.Model):
    """A test set of an experiment, with the version of gold that its inputs are made from."""

    experiment = models.ForeignKey(Experiment, on_delete=models.CASCADE, related_name="sets")
    test_set = models.ForeignKey(TestSet, on_delete=models.PROTECT, related_name="+")
    gold = models.ForeignKey(GoldVersion, on_delete=models.PROTECT, related_name="+")
    counts = models.BinaryField(default=b"", help_text="`evaluation`'s ExperimentCounts, once it is done.")

    class Meta:
        ordering = ["test_set__position", "test_set__code"]
        constraints = [
            models.UniqueConstraint(
                fields=["experiment", "test_set"], name="a_test_set_is_in_an_experiment_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.test_set} in {self.experiment}"

    @property
    def is_outdated(self) -> bool:
        """Whether corrected gold has been put in force since."""
        return self.gold_id != self.test_set.gold_in_force_id
