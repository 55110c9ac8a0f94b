"""Kinds of work for software: checking an image, executing a version, collecting its outputs."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from airlock.engine import EngineUnavailable, RunLost
from sharedtask.software import check_image, collect, execute, notify, report, stop
from sharedtask.software.models import Execution, StoredImage
from sharedtask.software.models.execution import ExecutionQuerySet
from sharedtask.software.models.image import StoredImageQuerySet
from sharedtask.work import targets
from sharedtask.work.failure import Failure
from sharedtask.work.kinds import WorkKind
from sharedtask.work.retry import RetryPolicy

PAUSE = timedelta(seconds=60)
RETRIES = RetryPolicy(max_attempts=4, max_machine_attempts=12, max_losses=5, max_pause=PAUSE)
# About an hour: executions wait for an engine that is away, and are started again after one was restarted.
IN_AIRLOCK = replace(RETRIES, max_machine_attempts=60, machine_errors=(EngineUnavailable, RunLost))


class CheckImage(WorkKind[StoredImage]):
    target = targets.CHECK_IMAGE
    stage = "check image"
    related = ("team__task",)
    time_limit = timedelta(hours=1)
    retries = RETRIES

    def waiting(self) -> StoredImageQuerySet:
        return StoredImage.objects.waiting_for_a_check()

    def process(self, row: StoredImage) -> None:
        check_image.check_image(row)

    def give_up(self, row: StoredImage, failure: Failure) -> None:
        check_image.give_up(row, failure)


class RunSoftware(WorkKind[Execution]):
    """Done by the workers of the airlock, whose rights end at this table: no related rows."""

    target = targets.RUN_SOFTWARE
    stage = "run software"
    claimed_values = {"state": Execution.State.STARTING}
    # Many containers of one execution, each with its own limit, may run for days.
    time_limit = timedelta(days=7)
    retries = IN_AIRLOCK

    def waiting(self) -> ExecutionQuerySet:
        return Execution.objects.for_the_airlock()

    def process(self, row: Execution) -> None:
        execute.execute(row)

    def handle(self, row: Execution, error: Exception, failure: Failure) -> bool:
        return isinstance(error, report.LeaseLost)

    def give_up(self, row: Execution, failure: Failure) -> None:
        report.record_given_up(row, "The server failed repeatedly while running this system.")

    def log_fields(self, row: Execution) -> dict[str, str]:
        return {"execution": row.public_id}


class CollectOutputs(WorkKind[Execution]):
    target = targets.COLLECT_OUTPUTS
    stage = "collect outputs"
    related = ("task", "phase__task", "team__task", "version__system")
    retries = RETRIES

    def waiting(self) -> ExecutionQuerySet:
        return Execution.objects.to_collect()

    def process(self, row: Execution) -> None:
        collect.collect(row)

    def discover(self, *, at: datetime) -> None:
        """The sweep also reports executions without progress, and ends stopped ones without a worker."""
        notify.report_stalled(at=at)
        stop.end_stopped(at=at)

    def give_up(self, row: Execution, failure: Failure) -> None:
        collect.give_up(row, failure)

    def log_fields(self, row: Execution) -> dict[str, str]:
        return {"execution": row.public_id}
