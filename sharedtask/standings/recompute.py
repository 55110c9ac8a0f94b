"""Recompute the standings of a phase after changes, once per burst.

In: a request, which a change in the phase has written. Out: standings. A worker waits until nothing has
changed for a moment, or until the oldest change has waited long enough. If something changes while standings
are computed, the request stays, and they are computed again.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db.models import Q, QuerySet

from sharedtask.competition import request_standings as requests
from sharedtask.competition.metrics import can_compute
from sharedtask.competition.models import Phase, StandingRequest, Task
from sharedtask.core import clock
from sharedtask.standings.compute import compute
from sharedtask.standings.inputs import gather
from sharedtask.standings.models import Standing, StandingPart
from sharedtask.standings.parts import PartsRequested
from sharedtask.standings.precompute import precompute_corrected
from sharedtask.standings.rankings import rankings_by_track
from sharedtask.work import dispatch
from sharedtask.work.dispatch import Key
from sharedtask.work.failure import Failure
from sharedtask.work.kinds import WorkKind
from sharedtask.work.lease import released, unclaimed
from sharedtask.work.retry import RetryPolicy
from sharedtask.work.targets import COMPUTE_STANDINGS, INSPECT_PHASE

LONGEST_BURST = timedelta(seconds=20)


class ComputeStandings(WorkKind[StandingRequest]):
    target = COMPUTE_STANDINGS
    stage = "standings"
    key = "phase_id"
    related = ("phase__task",)
    # All test sets of a large standing are joined by one worker, which may take longer than other work.
    time_limit = timedelta(hours=2)
    retries = RetryPolicy(max_attempts=12, max_machine_attempts=150, max_losses=12)

    def waiting(self) -> QuerySet[StandingRequest]:
        return StandingRequest.objects.filter(failed_at=None)

    def give_up(self, row: StandingRequest, failure: Failure) -> None:
        """It waits for the next change, or for an organiser who retries what has failed."""
        StandingRequest.objects.filter(pk=row.pk).update(failed_at=clock.database_now(), progress="")

    def ready(self, at: datetime) -> QuerySet[StandingRequest]:
        """Not while changes are still coming, or while parts are computed."""
        quiet = Q(changed_at__lte=at - requests.QUIET_PERIOD) | Q(since__lte=at - LONGEST_BURST)
        in_parts = StandingPart.objects.values("phase")
        return super().ready(at).filter(quiet).exclude(phase__in=in_parts)

    def process(self, row: StandingRequest) -> None:
        recompute_phase(row)
        # Whether a file is an outlier depends on the scores of the other systems, which have just changed.
        dispatch.enqueue(INSPECT_PHASE, row.phase_id)

    def not_claimed(self, keys: Sequence[Key], *, at: datetime) -> None:
        """Something has just changed. While parts are computed, the last of them sends a message."""
        in_parts = StandingPart.objects.values("phase")
        for row in self.waiting().filter(unclaimed(at), phase_id__in=keys).exclude(phase__in=in_parts):
            dispatch_later(row.phase_id)

    def discover(self, *, at: datetime) -> None:
        request_stale(at=at)

    def log_fields(self, row: StandingRequest) -> dict[str, str]:
        return {"phase": str(row.phase_id)}


def recompute_phase(
    request: StandingRequest, *, at: datetime | None = None, split: bool = True
) -> list[Standing]:
    """Compute all standings of the phase; then remove the request, unless something changed meanwhile.

    If large ones are split, their parts are requested, and the last of them continues here.
    """
    at = at or clock.database_now()
    phase = request.phase
    row = StandingRequest.objects.filter(pk=request.pk)
    standings = []
    try:
        for track, ranking in rankings_by_track(phase) if can_compute(phase.task) else ():
            if standing := compute(phase, ranking, track, at=at, split=split):
                standings.append(standing)
        precompute_corrected(phase, at=at, split=split)
    except PartsRequested:
        row.update(dispatched_at=at, **released())
        return standings
    if not row.filter(changed_at=request.changed_at).delete()[0]:
        row.update(since=at, dispatched_at=at, progress="", **released())
        dispatch_later(phase.pk)
    return standings


def retry_failed_standings(task: Task) -> int:
    """Compute again what the server failed to compute; the number of phases."""
    failed = StandingRequest.objects.filter(phase__task=task, failed_at__isnull=False)
    phases = list(failed.values_list("phase", flat=True))
    for phase_id in phases:
        requests.request_standings(phase_id)
    return len(phases)


def dispatch_later(phase_id: int) -> None:
    dispatch.enqueue_later(COMPUTE_STANDINGS, phase_id, seconds=requests.QUIET_PERIOD.total_seconds())


def request_stale(*, at: datetime) -> int:
    """Request standings that nothing has requested: a test set was revealed by now, or a request was lost."""
    stale = [
        phase
        for phase in Phase.objects.begun(at=at).filter(standing_request=None).select_related("task")
        if any(is_stale(phase, ranking, track, at=at) for track, ranking in rankings_by_track(phase))
    ]
    for phase in stale:
        requests.request_standings(phase.pk, at=at)
    return len(stale)


def is_stale(phase: Phase, ranking: str, track: str, *, at: datetime) -> bool:
    """Whether the standing in force is not the one that could be computed now.

    If another version of the profile is installed, or none, nothing can be computed: see the page Profile.
    """
    if not can_compute(phase.task):
        return False
    inputs = gather(phase, ranking, track, at=at)
    if inputs.under_way:
        return False
    in_force = Standing.objects.in_force(phase).filter(track=track, ranking=ranking).first()
    if not inputs.entries:
        return in_force is not None
    return in_force is None or in_force.inputs_sha256 != inputs.sha256
