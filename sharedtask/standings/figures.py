"""A standing from the cache of the process: its row, and every figure as arrays.

In: a standing that `visibility` lets the reader see. Out: its row, or its `Details`: any metric of any scope
and test set; and apart from them every pair of systems. A standing never changes, so nothing here is ever out
of date.
"""

from __future__ import annotations

from collections.abc import Collection
from copy import copy
from threading import Lock

from django.db.models import BinaryField
from django.db.models.functions import Substr

from evaluation.ranking.details import Details
from evaluation.ranking.pairs import Pairs
from sharedtask.core.cache import LRUCache
from sharedtask.standings.models import Figures, PairFigures, Standing

FIGURES: LRUCache[str, Details] = LRUCache(max_size=8)
"""By public id. With 33 systems and 81 test sets the figures of one standing take some megabytes."""
STANDINGS: LRUCache[str, Standing] = LRUCache(max_size=64)
"""The rows, by public id."""
ROWS_AT_ONCE = 8
"""Of large columns that are read one after the other."""
BYTES_AT_ONCE = 4 << 20
"""Of figures: the database's driver has each part in memory several times."""
_READING = Lock()


def figures_of(standing: Standing) -> Details:
    """One query the first time, or a few if they are large; none afterwards."""
    known = FIGURES.get(standing.public_id)
    if known is not None:
        return known
    # The first visitors of a new process come at once, and figures of large fields take a lot of memory.
    with _READING:
        return FIGURES.get_or_make(standing.public_id, lambda: read_figures(standing.public_id))


def pairs_of(standing: Standing, column: str) -> Pairs:
    """All pairs over a scope, or on `set:` and a code."""
    stored = PairFigures.objects.values_list("stored", flat=True)
    return Pairs.from_bytes(bytes(stored.get(standing=standing, column=column)))


def pairs_among(standing: Standing, systems: Collection[str], columns: Collection[str]) -> dict[str, Pairs]:
    """The pairs of a few systems in many columns. One query; one column at a time is in memory."""
    rows = PairFigures.objects.filter(standing=standing, column__in=columns)
    read = rows.values_list("column", "stored").iterator(chunk_size=ROWS_AT_ONCE)
    return {column: Pairs.from_bytes(bytes(stored)).among(systems) for column, stored in read}


def standing_of(public_id: str) -> Standing:
    """A copy for every caller, because what is looked up through it, like the phase, can change."""
    return copy(STANDINGS.get_or_make(public_id, lambda: Standing.objects.get(public_id=public_id)))


def read_figures(public_id: str) -> Details:
    rows, stored = Figures.objects.filter(standing__public_id=public_id), bytearray()
    while True:
        part = Substr("stored", len(stored) + 1, BYTES_AT_ONCE, output_field=BinaryField())
        read = bytes(rows.values_list(part, flat=True).get())
        stored += read
        if len(read) < BYTES_AT_ONCE:
            return Details.from_bytes(memoryview(stored))
