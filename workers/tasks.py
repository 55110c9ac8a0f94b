"""The tasks, each the same four lines: take an id, claim the row, call one function, record once.

A task that finds nothing to claim returns: the message came twice, or the sweeper was quicker.
"""

from __future__ import annotations

from celery.utils.log import get_task_logger

from sharedtask import handout
from sharedtask.submissions import check, claim, failure, record, score
from sharedtask.submissions import sweep as sweeper
from workers.app import app

log = get_task_logger(__name__)


@app.task(name=handout.CHECK_RUN)
def check_run(public_id: str) -> None:
    run = claim.claim_run(public_id)
    if run is None:
        return
    with failure.failures_of(run):
        check.check_run(run)


@app.task(name=handout.SCORE_FILE)
def score_file(public_id: str) -> None:
    claimed = claim.claim_score(public_id)
    if claimed is None:
        return
    with failure.failures_of(claimed):
        record.record_score(claimed, score.score_file(claimed))


@app.task(name=handout.SWEEP)
def sweep() -> None:
    swept = sweeper.sweep()
    if swept.runs or swept.scores or swept.strays:
        log.info("swept: %s runs, %s scores, %s strays", swept.runs, swept.scores, swept.strays)
