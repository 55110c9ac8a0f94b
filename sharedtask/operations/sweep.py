"""The sweeper: whatever waits without a living owner is handed out again; what nobody owns is removed.

In: the clock. Out: `Swept`, what was handed out and what was removed. It may run at any time and any number
of times: handing out twice is harmless, because work is claimed. Whether work has no owner is told by its
row: the lease ran out, or it was never claimed and no message in the broker names it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar

from django.db import transaction
from django.db.models import Q, QuerySet

from sharedtask.competition.models import StandingRequest
from sharedtask.core import clock, storage
from sharedtask.standings.recompute import want_stale
from sharedtask.submissions import failure
from sharedtask.submissions.alarms.look_over import hand_out_overlooked
from sharedtask.submissions.dispatch_scores import hand_out_scores
from sharedtask.submissions.models import Run, Score
from sharedtask.work import dispatch
from sharedtask.work.lease import LEASE, free

Work = TypeVar("Work", Run, Score)
PATIENCE = LEASE * 2 / 3
"""How long a message may be under way before another is sent after it."""
STRAY_AFTER = timedelta(hours=6)
"""How old a file without a row must be: older than any upload that may still be going on."""


@dataclass(frozen=True, kw_only=True)
class Swept:
    runs: int
    scores: int
    lost: int
    """Pieces of work whose worker had died or fallen silent."""
    standings: int
    strays: int

    def __str__(self) -> str:
        return (
            f"Handed out {self.runs} runs, {self.scores} scores and {self.standings} standings again, "
            f"{self.lost} of them lost by their workers; removed {self.strays} stray files."
        )

    def __bool__(self) -> bool:
        return any((self.runs, self.scores, self.lost, self.standings, self.strays))


def sweep(*, at: datetime | None = None, patience: timedelta = PATIENCE, strays: bool = True) -> Swept:
    at = at or clock.database_now()
    gone = free_what_was_lost(at=at)
    if not patience or dispatch.messages_in("score") == 0:
        # Looking for alarms can wait until the burst is over; asking again meanwhile would only lengthen it.
        hand_out_overlooked(at=at, patience=patience)
    return Swept(
        runs=hand_out_runs(at=at, patience=patience),
        scores=hand_out_scores_again(at=at, patience=patience),
        lost=gone,
        standings=hand_out_standings(at=at, patience=patience),
        strays=remove_strays(at=at) if strays else 0,
    )


def free_what_was_lost(*, at: datetime) -> int:
    """A lease that has run out with its owner's name on it: the worker died, or its machine did."""
    expired = Q(claimed_until__lte=at) & ~Q(claimed_by="")
    runs = Run.objects.waiting_for_a_checker(at=at).filter(expired)
    scores = Score.objects.waiting_for_a_scorer(at=at).filter(expired)
    found: list[Run | Score] = [*runs, *scores.select_related("file__test_set", "file__run")]
    return sum(free_one(work) for work in found)


def free_one(work: Run | Score) -> bool:
    told = failure.Failure(
        stage=failure.stage_of(work),
        kind="LostWorker",
        test_set=work.file.test_set.code if isinstance(work, Score) else "",
        worker=work.claimed_by,
        note="The worker did not renew its lease: it was killed, or its machine went away.",
    )
    return failure.lost(work, told, claimed_until=work.claimed_until)


def hand_out_runs(*, at: datetime, patience: timedelta) -> int:
    with transaction.atomic():
        waiting = Run.objects.waiting_for_a_checker(at=at)
        runs = without_message(waiting, dispatch.CHECK_RUN, at=at, patience=patience)
        for run in runs:
            dispatch.hand_out(dispatch.CHECK_RUN, run.public_id)
    return len(runs)


def hand_out_scores_again(*, at: datetime, patience: timedelta) -> int:
    with transaction.atomic():
        waiting = Score.objects.waiting_for_a_scorer(at=at).select_related("file")
        scores = without_message(waiting, dispatch.SCORE_FILES, at=at, patience=patience)
        hand_out_scores(scores)
    return len(scores)


def without_message(waiting: QuerySet[Work], task: str, *, at: datetime, patience: timedelta) -> list[Work]:
    """Those that nobody has been told of for a while, now marked as told of.

    A message that still waits in the broker will come to a worker in its time, however long the queue. One
    that was sent a moment ago may be in a worker's hands. A row that is being claimed just now is left out.
    """
    rows = waiting.filter(handed_out_at__lte=at - patience).order_by("pk")
    named = dispatch.named_in("score", task) if patience else set()
    locked = rows.select_for_update(skip_locked=True, of=("self",))
    found = [work for work in locked if work.public_id not in named]
    waiting.model._default_manager.filter(pk__in=[work.pk for work in found]).update(handed_out_at=at)
    return found


def hand_out_standings(*, at: datetime, patience: timedelta) -> int:
    """Those that were asked for and have no owner, and those that nobody asked for but are out of date."""
    want_stale(at=at)
    waiting = StandingRequest.objects.filter(free(at), handed_out_at__lte=at - patience)
    number = 0
    for phase_id in waiting.values_list("phase_id", flat=True):
        StandingRequest.objects.filter(phase_id=phase_id).update(handed_out_at=at)
        dispatch.hand_out(dispatch.COMPARE_PHASE, str(phase_id))
        number += 1
    return number


def remove_strays(*, at: datetime) -> int:
    """What an interrupted upload or unpacking left behind, and archives whose row was never committed."""
    strays = [entry.name for entry in storage.entries("incoming") if is_old(entry, at)]
    archives = {entry.name for entry in storage.entries("uploads") if is_old(entry, at)}
    known = set(Run.objects.filter(archive__in=archives).values_list("archive", flat=True))
    strays += sorted(archives - known)
    for name in strays:
        storage.remove(name)
    return len(strays)


def is_old(entry: storage.Entry, at: datetime) -> bool:
    return entry.modified_at < at - STRAY_AFTER
