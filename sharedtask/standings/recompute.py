"""Asking for a phase's standings to be computed anew, and computing them: once for a burst of changes.

In: a phase of which something has changed. Out: a row that says so, and a message in the queue `compare`.
Whoever takes the message waits until nothing has changed for a moment, or until the oldest change has
waited long enough. A change that comes while standings are computed leaves the row standing, and they are
computed again.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Q

from sharedtask.competition.models import Phase, StandingRequest
from sharedtask.competition.request_standings import QUIET, request_standings
from sharedtask.core import clock
from sharedtask.standings.compute import compute
from sharedtask.standings.gold_fix.preview import preview
from sharedtask.standings.inputs import gather
from sharedtask.standings.models import Standing
from sharedtask.standings.tracks import tracks_of
from sharedtask.work import dispatch
from sharedtask.work.lease import LEASE, free, this_worker

LONGEST = timedelta(seconds=20)


def claim(phase_id: int, *, at: datetime | None = None) -> StandingRequest | None:
    """None when somebody else has it, nobody wants it any more, or changes are still coming."""
    at = at or clock.database_now()
    ripe = Q(changed_at__lte=at - QUIET) | Q(since__lte=at - LONGEST)
    claimable = StandingRequest.objects.filter(free(at), ripe, phase_id=phase_id)
    if claimable.update(claimed_until=at + LEASE, claimed_by=this_worker()):
        return StandingRequest.objects.select_related("phase__task").get(phase_id=phase_id)
    if StandingRequest.objects.filter(free(at), phase_id=phase_id).exists():
        dispatch.hand_out_later(dispatch.COMPARE_PHASE, str(phase_id), seconds=QUIET.total_seconds())
    return None


def satisfy(wanted: StandingRequest, *, at: datetime | None = None) -> list[Standing]:
    """Compute the standings of all tracks of the phase; then let the row go, unless something changed."""
    at = at or clock.database_now()
    phase = wanted.phase
    standings = [standing for track in tracks_of(phase) if (standing := compute(phase, track, at=at))]
    preview(phase, at=at)
    row = StandingRequest.objects.filter(pk=wanted.pk)
    if not row.filter(changed_at=wanted.changed_at).delete()[0]:
        row.update(since=at, claimed_until=None, claimed_by="", handed_out_at=at)
        dispatch.hand_out_later(dispatch.COMPARE_PHASE, str(phase.pk), seconds=QUIET.total_seconds())
    return standings


def want_stale(*, at: datetime) -> int:
    """Ask for what nobody asked for: a set was revealed by the clock, or a change was not reported."""
    stale = [
        phase
        for phase in Phase.objects.begun(at=at).filter(standing_request=None).select_related("task")
        if any(is_stale(phase, track, at=at) for track in tracks_of(phase))
    ]
    for phase in stale:
        request_standings(phase.pk, at=at)
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
