"""Series: runs of one system on training samples of growing size; their analyses, and those made here.

Analyses are made for released gold only, and shown as breakdowns are. A `Training` is a series that the
server makes: under way → ended, or stopped, by somebody or because no further sample can be trained. Both
can be continued: what is missing is run again.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F
from django.urls import reverse
from django.utils import timezone

from sharedtask.competition.models import Phase, Task
from sharedtask.core.public_ids import new_public_id
from sharedtask.software.models import Execution, SystemVersion
from sharedtask.teams.models import System
from sharedtask.work.lease import Leased


class SeriesAnalysisQuerySet(models.QuerySet["SeriesAnalysis"]):
    def waiting(self) -> SeriesAnalysisQuerySet:
        """Including those that a worker is computing now."""
        return self.exclude(inputs=F("analysed_inputs"))


class SeriesAnalysis(Leased):
    """The series of one system in one phase, on all test sets whose gold is released."""

    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="series")
    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="series")
    inputs = models.CharField(max_length=64, help_text="Hash of the outputs and gold that are current.")
    analysed_inputs = models.CharField(max_length=64, blank=True, help_text="Hash of those it was made from.")
    runs = models.JSONField(default=list, blank=True, help_text="Public ids of the runs of the series.")
    placed = models.JSONField(default=list, blank=True, help_text="Public ids of the runs on its curve.")
    gold = models.JSONField(default=list, blank=True, help_text="Keys of the versions of gold.")
    result = models.BinaryField(default=b"", help_text="`evaluation`'s analyses; empty if there is none.")
    tallies = models.BinaryField(
        default=b"", help_text="Correct heads by word, to compare series; as secret as gold."
    )
    problems = models.JSONField(
        default=list, blank=True, help_text="Why test sets were left out; may quote gold."
    )
    analysed_at = models.DateTimeField(null=True, blank=True)

    objects = SeriesAnalysisQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "series analyses"
        constraints = [
            models.UniqueConstraint(
                fields=["system", "phase"], name="a_system_has_one_series_analysis_in_a_phase"
            )
        ]

    def __str__(self) -> str:
        return f"series of {self.system} in {self.phase}"


class TrainingQuerySet(models.QuerySet["Training"]):
    def under_way(self) -> TrainingQuerySet:
        return self.filter(state=Training.State.UNDER_WAY)


class Training(models.Model):
    """A version of a system, to be trained on every sample and run on test sets with released gold."""

    class State(models.TextChoices):
        UNDER_WAY = "under way"
        ENDED = "ended"
        STOPPED = "stopped"

    public_id = models.CharField(max_length=32, unique=True, default=new_public_id, editable=False)
    version = models.ForeignKey(SystemVersion, on_delete=models.PROTECT, related_name="trainings")
    phase = models.ForeignKey(Phase, on_delete=models.PROTECT, related_name="trainings")
    track = models.CharField(max_length=40, blank=True, default="", help_text="Of its runs.")
    sizes = models.JSONField(help_text="Sentences of the samples, in increasing order.")
    samples = models.PositiveIntegerField(help_text="Of each size.")
    sampling = models.CharField(max_length=11, choices=Task.Sampling.choices)
    seed = models.PositiveIntegerField()
    inputs = models.JSONField(
        default=dict, help_text="By code of the test set, names in storage of its training data and gold."
    )
    prepared = models.JSONField(
        default=dict, blank=True, help_text="By code, names in storage of what all samples are parsed on."
    )
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    on_behalf = models.BooleanField(default=False, help_text="Requested by an organiser.")
    requested_at = models.DateTimeField(default=timezone.now)
    state = models.CharField(max_length=10, choices=State.choices, default=State.UNDER_WAY)
    ended_at = models.DateTimeField(null=True, blank=True)
    errors = models.PositiveIntegerField(default=0, help_text="Server errors since it last proceeded.")
    problem = models.TextField(blank=True, help_text="Why the server has stopped it.")

    objects = TrainingQuerySet.as_manager()

    class Meta:
        ordering = ["-requested_at", "-pk"]

    def __str__(self) -> str:
        return f"training of {self.version}"

    def get_absolute_url(self) -> str:
        return reverse("training", args=[self.public_id])

    @property
    def series_url(self) -> str:
        """The page with the learning curves, which is there once they can be shown."""
        system, phase = self.version.system, self.phase
        return reverse("series", args=[phase.task.slug, system.public_id, phase.code])

    @property
    def is_under_way(self) -> bool:
        return self.state == self.State.UNDER_WAY

    @property
    def codes(self) -> list[str]:
        return list(self.inputs)


class TrainedSample(models.Model):
    """A sample of a training, and the execution that was last requested for it."""

    training = models.ForeignKey(Training, on_delete=models.CASCADE, related_name="trained_samples")
    size = models.PositiveIntegerField()
    number = models.PositiveIntegerField()
    attempts = models.PositiveIntegerField(default=0)
    execution = models.OneToOneField(
        Execution, null=True, blank=True, on_delete=models.PROTECT, related_name="trained_sample"
    )

    class Meta:
        ordering = ["size", "number"]
        constraints = [
            models.UniqueConstraint(fields=["training", "size", "number"], name="a_sample_is_trained_once")
        ]

    def __str__(self) -> str:
        return f"{self.size}-{self.number} of {self.training}"

    @property
    def is_settled(self) -> bool:
        """Its execution has ended, and its run, if there is one, is scored or has failed."""
        execution = self.execution
        if execution is None or not execution.is_final:
            return False
        return execution.run.is_final if execution.run else not self.is_run_due

    @property
    def is_run_due(self) -> bool:
        """It wrote outputs, which a worker has not made a run of yet."""
        execution = self.execution
        return (
            execution is not None
            and execution.state == Execution.State.DONE
            and execution.run_id is None
            and bool(execution.outputs)
        )

    @property
    def part(self) -> str:
        """Of the experiment, as the seam of executions names it."""
        again = f", attempt {self.attempts}" if self.attempts > 1 else ""
        return f"{self.size} sentences, sample {self.number}{again}"
