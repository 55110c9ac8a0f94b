"""The kind of work of this package: checking a version of a scorer."""

from __future__ import annotations

from datetime import timedelta

from sharedtask.scorers import check
from sharedtask.scorers.models import ScorerVersion, ScorerVersionQuerySet
from sharedtask.work import targets
from sharedtask.work.failure import Failure
from sharedtask.work.kinds import WorkKind
from sharedtask.work.retry import RetryPolicy


class CheckScorer(WorkKind[ScorerVersion]):
    target = targets.CHECK_SCORER
    stage = "check scorer"
    related = ("task",)
    time_limit = timedelta(hours=1)
    retries = RetryPolicy(
        max_attempts=4, max_machine_attempts=12, max_losses=5, max_pause=timedelta(seconds=60)
    )

    def waiting(self) -> ScorerVersionQuerySet:
        return ScorerVersion.objects.waiting_for_a_check()

    def process(self, row: ScorerVersion) -> None:
        check.check_scorer(row)

    def give_up(self, row: ScorerVersion, failure: Failure) -> None:
        check.give_up(row, failure)
