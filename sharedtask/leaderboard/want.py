"""Asking for a phase's standings to be computed anew, and computing them: once for a burst of changes.

In: a phase of which something has changed. Out: a row that says so, and a message in the queue `compare`.
Whoever takes the message waits until nothing has changed for a moment, or until the oldest change has
waited long enough. A change that comes while standings are computed leaves the row standing, and they are
computed again.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Q

from sharedtask import clock, handout
from sharedtask.competition.models import Phase
from sharedtask.leaderboard.compute import compute
from sharedtask.leaderboard.inputs import gather
from sharedtask.leaderboard.models import Standing, Wanted
from sharedtask.leaderboard.preview import preview
from sharedtask.leaderboard.tracks import tracks_of
from sharedtask.submissions.models.lease import LEASE, free, this_worker

QUIET = timedelta(seconds=2)
LONGEST = timedelta(seconds=20)


def want(phase_id: int, *, at: datetime | None = None) -> None:
    """Call it in the transaction that changes something a standing depends on."""
    at = at or clock.database_now()
    _, created = Wanted.objects.update_or_create(
        phase_id=phase_id,
        defaults={"changed_at": at},
        create_defaults={"changed_at": at, "since": at, "handed_out_at": at},
    )
    if created:
        handout.hand_out_later(handout.COMPARE_PHASE, str(phase_id), seconds=QUIET.total_seconds())


def claim(phase_id: int, *, at: datetime | None = None) -> Wanted | None:
    """None when somebody else has it, nobody wants it any more, or changes are still coming."""
    at = at or clock.database_now()
    ripe = Q(changed_at__lte=at - QUIET) | Q(since__lte=at - LONGEST)
    claimable = Wanted.objects.filter(free(at), ripe, phase_id=phase_id)
    if claimable.update(claimed_until=at + LEASE, claimed_by=this_worker()):
        return Wanted.objects.select_related("phase__task").get(phase_id=phase_id)
    if Wanted.objects.filter(free(at), phase_id=phase_id).exists():
        handout.hand_out_later(handout.COMPARE_PHASE, str(phase_id), seconds=QUIET.total_seconds())
    return None


def satisfy(wanted: Wanted, *, at: datetime | None = None) -> list[Standing]:
    """Compute the standings of all tracks of the phase; then let the row go, unless something changed."""
    at = at or clock.database_now()
    phase = wanted.phase
    standings = [standing for track in tracks_of(phase) if (standing := compute(phase, track, at=at))]
    preview(phase, at=at)
    row = Wanted.objects.filter(pk=wanted.pk)
    if not row.filter(changed_at=wanted.changed_at).delete()[0]:
        row.update(since=at, claimed_until=None, claimed_by="", handed_out_at=at)
        handout.hand_out_later(handout.COMPARE_PHASE, str(phase.pk), seconds=QUIET.total_seconds())
    return standings


def want_stale(*, at: datetime) -> int:
    """Ask for what nobody asked for: a set was revealed by the clock, or a change was not reported."""
    stale = [
        phase
        for phase in Phase.objects.begun(at=at).filter(wanted_standing=None).select_related("task")
        if any(is_stale(phase, track, at=at) for track in tracks_of(phase))
    ]
    for phase in stale:
        want(phase.pk, at=at)
    return len(stale)


def is_stale(phase: Phase, track: str, *, at: datetime) -> bool:
    """Whether the standing that holds is not the one that could be computed now."""
    inputs = gather(phase, track, at=at)
    if inputs.under_way:
        return False
    held = Standing.objects.in_force(phase).filter(track=track).first()
    if not inputs.entries:
        return held is not None
    return held is None or held.inputs_sha256 != inputs.sha256
