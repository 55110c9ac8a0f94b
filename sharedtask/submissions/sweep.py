"""The sweeper: whatever waits without a living owner is handed out again; what nobody owns is removed.

In: the clock. Out: `Swept`, what was handed out and what was removed. It may run at any time and any number
of times: handing out twice is harmless, because work is claimed. Whether work has no owner is told by its
row: the lease ran out, or it was never claimed and the broker has fewer messages than there is work.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q, QuerySet

from sharedtask import clock, handout, storage
from sharedtask.leaderboard.models import Wanted
from sharedtask.leaderboard.want import want_stale
from sharedtask.submissions import failure
from sharedtask.submissions.alarms.look_over import hand_out_overlooked
from sharedtask.submissions.models import Run, Score
from sharedtask.submissions.models.lease import LEASE, free

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
    runs = Run.objects.waiting_for_a_checker(at=at)
    scores = Score.objects.waiting_for_a_scorer(at=at)
    if patience and handout.messages_in("score") >= runs.count() + scores.count():
        # There is a message for everything that waits, and the workers will come to it. Only what was lost
        # or rested has none.
        runs = runs.exclude(claimed_until=None, losses=0)
        scores = scores.exclude(claimed_until=None, losses=0)
    if not patience or handout.messages_in("score") == 0:
        # Looking for alarms can wait until the burst is over; asking again meanwhile would only lengthen it.
        hand_out_overlooked(at=at, patience=patience)
    return Swept(
        runs=hand_out_again(handout.CHECK_RUN, runs, at=at, patience=patience),
        scores=hand_out_again(handout.SCORE_FILE, scores, at=at, patience=patience),
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


def hand_out_again(task: str, waiting: QuerySet[Any], *, at: datetime, patience: timedelta) -> int:
    """What was handed out a moment ago is still under way, unless its lease was given back since."""
    number = 0
    rows = waiting.filter(handed_out_at__lte=at - patience)
    for public_id in rows.values_list("public_id", flat=True):
        rows.model.objects.filter(public_id=public_id).update(handed_out_at=at)
        handout.hand_out(task, public_id)
        number += 1
    return number


def hand_out_standings(*, at: datetime, patience: timedelta) -> int:
    """Those that were asked for and have no owner, and those that nobody asked for but are out of date."""
    want_stale(at=at)
    waiting = Wanted.objects.filter(free(at), handed_out_at__lte=at - patience)
    number = 0
    for phase_id in waiting.values_list("phase_id", flat=True):
        Wanted.objects.filter(phase_id=phase_id).update(handed_out_at=at)
        handout.hand_out(handout.COMPARE_PHASE, str(phase_id))
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
