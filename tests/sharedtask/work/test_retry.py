"""What is ours alone is tried again, however often it has failed."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import DatabaseError

from sharedtask.competition.models import Phase, StandingRequest
from sharedtask.core import clock
from sharedtask.standings.recompute import ComputeStandings
from sharedtask.work.perform import attempt

pytestmark = pytest.mark.django_db
FIRST_PAUSE = ComputeStandings.retries.first_pause
MAX_PAUSE = ComputeStandings.retries.max_pause


@pytest.mark.parametrize(
    ("attempts", "pause"),
    [(0, FIRST_PAUSE), (3, FIRST_PAUSE * 8), (10, MAX_PAUSE), (30_000, MAX_PAUSE)],
)
def test_each_pause_is_longer_up_to_the_longest(phase: Phase, attempts: int, pause: timedelta) -> None:
    row = StandingRequest.objects.create(phase=phase, attempts=attempts, claimed_by="worker-1")
    before = clock.database_now()
    with attempt(ComputeStandings(), row):
        raise MemoryError
    row.refresh_from_db()
    after = clock.database_now()
    assert row.claimed_until is not None
    assert row.claimed_until - after <= pause <= row.claimed_until - before
    assert (row.attempts, row.claimed_by) == (attempts + 1, "")
    values = {name: row.failure[name] for name in ("stage", "kind", "out_of_memory", "worker")}
    assert values == {
        "stage": "standings",
        "kind": "MemoryError",
        "out_of_memory": True,
        "worker": "worker-1",
    }


def test_an_unavailable_database_leaves_the_row_to_the_lease(phase: Phase) -> None:
    row = StandingRequest.objects.create(phase=phase, claimed_by="worker-1")
    with pytest.raises(DatabaseError), attempt(ComputeStandings(), row):
        raise DatabaseError
    row.refresh_from_db()
    assert (row.attempts, row.claimed_by) == (0, "worker-1")
