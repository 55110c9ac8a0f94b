"""What is in a standing, read once: its row, and every figure as arrays.

In: a standing that `visibility` lets the reader see. Out: its row, or its `Details`: any metric of any scope
and test set, and every pair of systems. A standing never changes, so each process keeps those asked for last.
"""

from __future__ import annotations

from copy import copy
from functools import lru_cache

from evaluation.ranking.details import Details
from sharedtask.standings.models import Figures, Standing

KEPT = 8
"""Standings whose figures a process keeps: with 33 systems and 81 test sets one takes some megabytes."""


def figures_of(standing: Standing) -> Details:
    """One query the first time, none afterwards."""
    return _details(standing.public_id)


def standing_of(public_id: str) -> Standing:
    """A copy of its own for every caller: what is looked up from there, like the phase, does change."""
    return copy(_row(public_id))


@lru_cache(maxsize=KEPT)
def _details(public_id: str) -> Details:
    stored = Figures.objects.values_list("stored", flat=True).get(standing__public_id=public_id)
    return Details.from_bytes(bytes(stored))


@lru_cache(maxsize=8 * KEPT)
def _row(public_id: str) -> Standing:
    return Standing.objects.defer("data").get(public_id=public_id)
