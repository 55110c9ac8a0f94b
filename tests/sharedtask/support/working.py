"""What a worker does, one step at a time: claim a run or scores, work on what a message names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from sharedtask.submissions import workflow
from sharedtask.submissions.kinds import CheckRun, ScoreFiles
from sharedtask.submissions.models import Run, Score
from sharedtask.teams.notices.mail import MailNotices
from sharedtask.work.claim import claim
from sharedtask.work.perform import perform
from tests.sharedtask.support.building import good_archive


def claim_run(public_id: str, *, at: datetime | None = None) -> Run | None:
    return next(iter(claim(CheckRun(), [public_id], at=at)), None)


def claim_scores(public_ids: Sequence[str], *, at: datetime | None = None) -> list[Score]:
    return claim(ScoreFiles(), public_ids, at=at)


def check_run(public_id: str) -> None:
    perform(CheckRun(), [public_id])


def mail_event(event: str, *, at: datetime | None = None) -> int:
    """The number of e-mails sent."""
    return perform(MailNotices(), [event], at=at)


def score_files(*public_ids: str) -> None:
    perform(ScoreFiles(), public_ids)


def checked(upload: Callable[..., Run]) -> Run:
    run = upload(good_archive())
    claimed = claim_run(run.public_id)
    assert claimed is not None
    workflow.check(claimed)
    return claimed
