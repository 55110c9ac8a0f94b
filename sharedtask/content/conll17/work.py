"""What workers do with runs and gold, done here and now: by several processes, each with the private key.

In: rows that wait, found in the database as the sweeper finds them. Out: rows that are done. Every piece is
claimed as a worker claims it, so that workers of a running site may take part; what they hold is waited for.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor

from sharedtask.analysis.analyse import analyse_gold
from sharedtask.archive.package.make import make
from sharedtask.competition import tend_gold
from sharedtask.content.conll17.task import PUBLISHED
from sharedtask.core import clock
from sharedtask.standings import recompute
from sharedtask.submissions import check, claim, failure
from sharedtask.submissions.alarms import look_over
from sharedtask.submissions.score_files import score_files
from sharedtask.work import dispatch, heartbeat
from sharedtask.work.retry import tried_again

Say = Callable[[str], None]
PATIENCE_SECONDS = 300


class StillWaiting(Exception):
    """Somebody else holds the work and does not get done."""


def do_all(
    what: str,
    work: Callable[[str], None],
    *,
    free: Callable[[], Sequence[str]],
    left: Callable[[], bool],
    pool: Executor | None,
    say: Say,
) -> None:
    """Whatever is `free`, until nothing is `left`: what another holds comes free when it is done or dead."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while left():
        if ids := free():
            tell(what, pool.map(work, ids) if pool else map(work, ids), len(ids), say)
            deadline = time.monotonic() + PATIENCE_SECONDS
        elif time.monotonic() > deadline:
            raise StillWaiting(f"{what}: a worker of this site holds some of the work and does not get done.")
        else:
            time.sleep(0.5)


def tell(what: str, done: Iterable[None], total: int, say: Say) -> None:
    for number, _ in enumerate(done, start=1):
        if number % 50 == 0 or number == total:
            say(f"{what}: {number} of {total}")


def check_run(public_id: str) -> None:
    with dispatch.withheld():
        run = claim.claim_run(public_id)
        if run is not None:
            with failure.failures_of(run), heartbeat.beating(run):
                check.check_run(run)


def score_batch(public_ids: str) -> None:
    """Several ids with blanks between them, as messages have them."""
    with dispatch.withheld():
        score_files(public_ids.split())


def look_over_run(public_id: str) -> None:
    with dispatch.withheld():
        look_over.look_over(public_id)


def tend(version_id: str) -> None:
    with dispatch.withheld():
        tend_gold.tend(int(version_id))


def analyse(version_id: str) -> None:
    with dispatch.withheld():
        analyse_gold(int(version_id))


def pack(publication_id: str) -> None:
    with dispatch.withheld():
        make(int(publication_id))


def compare_phase(phase_id: str) -> None:
    """Ripe at once: nothing more is to come, and waiting for a burst to end would be in vain."""
    with dispatch.withheld():
        claimed = recompute.claim(int(phase_id), at=clock.database_now() + recompute.QUIET)
        if claimed is not None:
            with (
                tried_again(claimed, stage="compare", phase=str(claimed.phase_id)),
                heartbeat.beating(claimed),
            ):
                recompute.satisfy(claimed, at=PUBLISHED)
