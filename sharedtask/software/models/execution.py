"""An execution: a version of a system on the inputs of a phase or an experiment, and its states.

queued → starting → running → ended → done; or stopped by somebody, or failed after a server error. The
workers of the airlock write `starting`, `running` and `ended` and nothing else: they have no rights on other
tables. Other workers turn an execution that has ended into a run, unless it belongs to an experiment, which
finds its outputs in storage. A container that crashed or hit a limit has ended too; what it wrote is kept.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils import timezone

from sharedtask.competition.models import Phase, Task
from sharedtask.core.public_ids import new_public_id
from sharedtask.software.models.image import SystemVersion
from sharedtask.submissions.models import Run
from sharedtask.teams.models import Team
from sharedtask.work.lease import Leased


class ExecutionQuerySet(models.QuerySet["Execution"]):
    def for_the_airlock(self) -> ExecutionQuerySet:
        """Including those that a worker has in hand."""
        return self.filter(state__in=Execution.IN_AIRLOCK)

    def to_collect(self) -> ExecutionQuerySet:
        return self.filter(state=Execution.State.ENDED)

    def under_way(self) -> ExecutionQuerySet:
        return self.exclude(state__in=Execution.FINAL)

    def counting_against_quota(self) -> ExecutionQuerySet:
        return self.filter(uses_quota=True)

    def of_experiments(self) -> ExecutionQuerySet:
        return self.exclude(experiment="")

    def parts_of(self, experiment: str, purpose: str) -> ExecutionQuerySet:
        """Without replications; a part that was restarted has several."""
        return self.filter(experiment=experiment, purpose=purpose)

    def of_phases(self) -> ExecutionQuerySet:
        return self.filter(experiment="")

    def ahead_of(self, execution: Execution) -> int:
        """How many wait in the queue before this one."""
        return self.filter(state=Execution.State.QUEUED, pk__lt=execution.pk).count()


class Execution(Leased):
    class State(models.TextChoices):
        QUEUED = "queued"
        STARTING = "starting"
        RUNNING = "running"
        ENDED = "ended", "outputs are being collected"
        DONE = "done"
        STOPPED = "stopped"
        FAILED = "failed", "server error"

    class Purpose(models.TextChoices):
        RUN = "run", "its outputs become a run"
        REPLICATION = "replication", "its outputs are compared with those of an earlier execution"
        CASCADES = "cascades", "part of an experiment with constraints"
        TRAINING = "training", "part of a series of training samples"

    IN_AIRLOCK = (State.QUEUED, State.STARTING, State.RUNNING)
    FINAL = frozenset({State.DONE, State.STOPPED, State.FAILED})
    OF_EXPERIMENTS = frozenset({Purpose.CASCADES, Purpose.TRAINING})

    public_id = models.CharField(max_length=32, unique=True, default=new_public_id, editable=False)
    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="executions")
    phase = models.ForeignKey(
        Phase,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="executions",
        help_text="None if it belongs to an experiment.",
    )
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="executions")
    version = models.ForeignKey(SystemVersion, on_delete=models.PROTECT, related_name="executions")
    track = models.CharField(
        max_length=40, blank=True, default="", help_text="Of the run; empty in a task without tracks."
    )
    number = models.PositiveIntegerField(help_text="Number within the team, from 1.")
    purpose = models.CharField(max_length=12, choices=Purpose.choices, default=Purpose.RUN)
    experiment = models.CharField(
        max_length=32, blank=True, default="", help_text="Public id of the experiment that requested it."
    )
    part = models.CharField(
        max_length=100, blank=True, default="", help_text="Which part of the experiment it is, for people."
    )
    repeats = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="replications"
    )
    amends = models.ForeignKey(
        Run,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
        help_text="The run whose missing test sets are run again.",
    )
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    on_behalf = models.BooleanField(default=False, help_text="Requested by an organiser.")
    requested_at = models.DateTimeField(default=timezone.now, help_text="Decides whether it was in time.")
    uses_quota = models.BooleanField(default=True)
    declared_score = models.FloatField(
        null=True, blank=True, help_text="What the team expects of the first main metric, between 0 and 1."
    )
    instructions = models.JSONField(
        default=dict, help_text="Image, inputs, metadata and limits: all that a worker of the airlock needs."
    )

    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    stop_requested_at = models.DateTimeField(null=True, blank=True)
    stop_reason = models.CharField(max_length=200, blank=True)
    progress = models.JSONField(default=dict, blank=True, help_text="As last measured.")
    coarse_progress = models.JSONField(
        default=dict, blank=True, help_text="What a team may see of a blind execution; changes rarely."
    )
    log = models.TextField(blank=True, help_text="The last part of stdout and stderr.")
    released_log = models.TextField(blank=True, help_text="What organisers released of the log.")
    log_released_at = models.DateTimeField(null=True, blank=True)
    outputs = models.JSONField(
        default=dict, blank=True, help_text="By code of the test set: name in storage, size and SHA-256."
    )
    outcome = models.JSONField(default=dict, blank=True, help_text="Exit code, signal, limit, whose error.")
    usage = models.JSONField(default=dict, blank=True, help_text="CPU, peak memory, time and bytes.")
    run = models.OneToOneField(Run, null=True, blank=True, on_delete=models.PROTECT, related_name="execution")
    comparison = models.JSONField(default=dict, blank=True, help_text="The result of a replication.")

    objects = ExecutionQuerySet.as_manager()

    class Meta:
        ordering = ["-requested_at", "-pk"]
        constraints = [
            models.UniqueConstraint(fields=["team", "number"], name="an_execution_number_is_used_once"),
            models.CheckConstraint(
                condition=models.Q(phase=None) ^ models.Q(experiment=""),
                name="an_execution_is_for_a_phase_or_an_experiment",
            ),
        ]
        indexes = [
            models.Index(
                fields=["experiment"], condition=~models.Q(experiment=""), name="executions_of_experiments"
            )
        ]

    def __str__(self) -> str:
        """Without the team, whose table a worker of the airlock may not read."""
        return f"execution {self.public_id}"

    def get_absolute_url(self) -> str:
        return reverse("execution", args=[self.public_id])

    @property
    def is_final(self) -> bool:
        return self.state in self.FINAL

    @property
    def is_complete(self) -> bool:
        """Whether it has written every output that was asked for."""
        return self.state == self.State.DONE and set(self.codes) <= set(self.outputs)

    @property
    def ended_badly(self) -> bool:
        """By an error, whoever made it."""
        return self.is_final and (self.state == self.State.FAILED or bool(self.outcome.get("error_of")))

    @property
    def occasion(self) -> str:
        """The phase, or the part of an experiment, that it is for."""
        return self.phase.title if self.phase else self.part

    @property
    def codes(self) -> list[str]:
        """Of the test sets it runs on."""
        return [entry["code"] for entry in self.instructions.get("test_sets", [])]

    @property
    def limits(self) -> dict[str, Any]:
        return dict(self.instructions.get("limits", {}))
