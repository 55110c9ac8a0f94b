"""A standing from the cache of the process: its row, and every figure as arrays.

In: a standing that `visibility` lets the reader see. Out: its row, or its `Details`: any metric of any scope
and test set, and every pair of systems. A standing never changes, so nothing here is ever out of date.
"""

from __future__ import annotations

from copy import copy

from evaluation.ranking.details import Details
from sharedtask.core.cache import LRUCache
from sharedtask.standings.models import Figures, Standing

FIGURES: LRUCache[str, Details] = LRUCache(max_size=8)
"""By public id. With 33 systems and 81 test sets the figures of one standing take some megabytes."""
STANDINGS: LRUCache[str, Standing] = LRUCache(max_size=64)
"""The rows, by public id."""


def figures_of(standing: Standing) -> Details:
    """One query the first time, none afterwards."""
    return FIGURES.get_or_make(standing.public_id, lambda: read_figures(standing.public_id))


def standing_of(public_id: str) -> Standing:
    """A copy for every caller, because what is looked up through it, like the phase, can change."""
    return copy(STANDINGS.get_or_make(public_id, lambda: Standing.objects.get(public_id=public_id)))


def read_figures(public_id: str) -> Details:
    stored = Figures.objects.values_list("stored", flat=True).get(standing__public_id=public_id)
    return Details.from_bytes(bytes(stored))
