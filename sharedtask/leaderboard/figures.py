"""Every figure of a standing, as arrays: any metric of any scope and test set, and every pair of systems.

In: a standing that `visibility` lets the reader see. Out: its `Details`. A standing never changes, so each
process keeps those that were asked for last.
"""

from __future__ import annotations

from functools import lru_cache

from evaluation.ranking.details import Details
from sharedtask.leaderboard.models import Figures, Standing

KEPT = 8
"""Standings that a process keeps: of 33 systems and 81 test sets one takes about six megabytes."""


def figures_of(standing: Standing) -> Details:
    """One query the first time, none afterwards."""
    return _read(standing.public_id)


@lru_cache(maxsize=KEPT)
def _read(public_id: str) -> Details:
    stored = Figures.objects.values_list("stored", flat=True).get(standing__public_id=public_id)
    return Details.from_bytes(bytes(stored))
