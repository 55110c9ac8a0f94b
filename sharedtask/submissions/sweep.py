"""The sweeper: whatever waits without a living owner is handed out again; what nobody owns is removed.

In: the clock. Out: `Swept`, how many runs and scores were handed out and how many stray files were removed.
It may run at any time and any number of times: handing out twice is harmless, because work is claimed.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sharedtask import clock, handout, storage
from sharedtask.submissions.alarms.look_over import hand_out_overlooked
from sharedtask.submissions.models import Run, Score

PATIENCE = timedelta(seconds=60)
"""How long a message may be under way before another is sent after it."""
STRAY_AFTER = timedelta(hours=6)
"""How old a file without a row must be: older than any upload that may still be going on."""


@dataclass(frozen=True, kw_only=True)
class Swept:
    runs: int
    scores: int
    strays: int


def sweep(*, at: datetime | None = None, patience: timedelta = PATIENCE) -> Swept:
    at = at or clock.database_now()
    runs = scores = 0
    waiting_runs = Run.objects.waiting_for_a_checker(at=at).filter(handed_out_at__lte=at - patience)
    for public_id in waiting_runs.values_list("public_id", flat=True):
        Run.objects.filter(public_id=public_id).update(handed_out_at=at)
        handout.hand_out(handout.CHECK_RUN, public_id)
        runs += 1
    waiting_scores = Score.objects.waiting_for_a_scorer(at=at).filter(handed_out_at__lte=at - patience)
    for public_id in waiting_scores.values_list("public_id", flat=True):
        Score.objects.filter(public_id=public_id).update(handed_out_at=at)
        handout.hand_out(handout.SCORE_FILE, public_id)
        scores += 1
    hand_out_overlooked(at=at, patience=patience)
    return Swept(runs=runs, scores=scores, strays=remove_strays(at=at))


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
