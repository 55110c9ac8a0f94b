"""Kinds of work for runs: checking a run, and scoring its valid files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from typing import ClassVar

from sharedtask.core.errors import ConfidentialFailure, Refusal
from sharedtask.submissions import workflow
from sharedtask.submissions.alarms import inspection
from sharedtask.submissions.models import Run, Score
from sharedtask.submissions.models.run import RunQuerySet
from sharedtask.submissions.models.score import ScoreQuerySet
from sharedtask.submissions.score_batches import batches
from sharedtask.work import targets
from sharedtask.work.failure import Failure
from sharedtask.work.kinds import Attempt, Job, WorkKind
from sharedtask.work.retry import RetryPolicy

RETRIES = RetryPolicy(max_attempts=4, max_machine_attempts=12, max_losses=8, max_pause=timedelta(seconds=60))


class CheckRun(WorkKind[Run]):
    target = targets.CHECK_RUN
    stage = "check"
    related = ("task", "phase", "team", "amends")
    claimed_values = {"state": Run.State.CHECKING}
    retries = RETRIES

    def waiting(self) -> RunQuerySet:
        return Run.objects.waiting_for_a_check()

    def process(self, row: Run) -> None:
        workflow.check(row)

    def handle(self, row: Run, error: Exception, failure: Failure) -> bool:
        if isinstance(error, Refusal):
            workflow.refuse(row, error)
            return True
        return False

    def give_up(self, row: Run, failure: Failure) -> None:
        workflow.give_up_check(row, failure)

    def log_fields(self, row: Run) -> dict[str, str]:
        return {"run": row.public_id}


class ScoreFiles(WorkKind[Score]):
    target = targets.SCORE_FILES
    stage = "score"
    related: ClassVar[tuple[str, ...]] = ("gold", "file__test_set", "file__run__task", "file__run__phase")
    retries = RETRIES

    def waiting(self) -> ScoreQuerySet:
        return Score.objects.waiting().by_evaluator()

    def process_claimed(self, rows: Sequence[Score], attempt: Attempt) -> int:
        for score in rows:
            share_task(score)
        return workflow.score(rows, attempt)

    def messages(self, rows: Iterable[Score]) -> Iterator[list[str]]:
        for batch in batches(rows):
            yield [score.public_id for score in batch]

    def handle(self, row: Score, error: Exception, failure: Failure) -> bool:
        if isinstance(error, ConfidentialFailure):
            workflow.withhold_message(row, error, failure)
            return True
        return False

    def give_up(self, row: Score, failure: Failure) -> None:
        workflow.give_up_score(row, failure)

    def details(self, row: Score) -> dict[str, str]:
        return {"test_set": row.file.test_set.code}

    def log_fields(self, row: Score) -> dict[str, str]:
        return {"run": row.file.run.public_id}


def share_task(score: Score) -> None:
    """The version of gold, the test set and the phase belong to the task of the run: it is read only once."""
    run, test_set = score.file.run, score.file.test_set
    run.phase.task = test_set.task = run.task
    score.gold.test_set = test_set


class ScoreByImage(ScoreFiles):
    """Done by workers that have an engine for scorers of organisers: one output at a time."""

    target = targets.SCORE_BY_IMAGE
    related: ClassVar[tuple[str, ...]] = (*ScoreFiles.related, "scorer")
    rows_per_claim = 1
    time_limit = timedelta(hours=2)

    def waiting(self) -> ScoreQuerySet:
        return Score.objects.waiting().by_image()

    def messages(self, rows: Iterable[Score]) -> Iterator[list[str]]:
        for score in rows:
            yield [score.public_id]


INSPECT_RUN = Job(target=targets.INSPECT_RUN, run=inspection.inspect_run, overdue=inspection.overdue)
INSPECT_PHASE = Job(target=targets.INSPECT_PHASE, run=inspection.inspect_phase)
