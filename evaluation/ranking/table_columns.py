"""The tables of all systems on one test set, ready to be resampled: replicates of tables, then figures.

The tables of a replicate are sums of the tables of its units: all replicates of a cell are added up at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..reading.fields import Ints
from ..scoring.metric import TableMetric
from ..scoring.table import Table
from .results import Results
from .tails import Floats


@dataclass(frozen=True, slots=True)
class TableColumns:
    """`metrics` are the places of the metrics in question, `names` and `definitions` what they are."""

    code: str
    metrics: Ints
    names: tuple[str, ...]
    definitions: tuple[TableMetric, ...]
    # Per system the tables by name.
    tables: tuple[Mapping[str, Table], ...]

    def figures(self, multiplicity: NDArray[np.float32]) -> Floats:
        """Systems × metrics × replicates."""
        # Systems with an empty table stay at 0 and are not in the average.
        figures = np.zeros((len(self.tables), len(self.metrics), len(multiplicity)))
        for system, tables in enumerate(self.tables):
            # Metrics of the same table share its replicates.
            for name in dict.fromkeys(metric.table for metric in self.definitions):
                if tables[name].is_empty:
                    continue
                replicates = resampled_tables(tables[name], multiplicity)
                for place, metric in enumerate(self.definitions):
                    if metric.table == name:
                        figures[system, place] = self._figures(place, metric, replicates)
        return figures

    def plain(self) -> Floats:
        """Of the files themselves: systems × metrics; NaN where a system has an empty table."""
        figures = np.full((len(self.tables), len(self.metrics)), np.nan)
        for system, tables in enumerate(self.tables):
            for place, metric in enumerate(self.definitions):
                if not tables[metric.table].is_empty:
                    figures[system, place] = metric.rule(tables[metric.table].total().astype(np.float64))
        return figures

    def _figures(self, place: int, metric: TableMetric, replicates: Floats) -> Floats:
        figures = np.asarray(metric.rule(replicates))
        if figures.shape != replicates.shape[:1] or not np.isfinite(figures).all():
            raise ValueError(f"{self.names[place]} gives no figure for some replicates of {self.code}")
        return figures


def table_columns_of(
    results: Results, code: str, metrics: Sequence[str], systems: Sequence[int]
) -> TableColumns:
    """Of those of the metrics that follow from tables."""
    chosen = {
        place: metric
        for place, name in enumerate(metrics)
        if isinstance(metric := results.definitions[name], TableMetric)
    }
    names = list(results.systems)
    tables: list[Mapping[str, Table]] = []
    for row in systems if chosen else ():
        outcome = results.outcome(names[row], code)
        tables.append(outcome.counts.tables)
        missing = {metric.table for metric in chosen.values()} - set(tables[-1])
        if missing:
            raise ValueError(f"{names[row]} was not scored for {', '.join(sorted(missing))} on {code}")
    return TableColumns(
        code,
        np.array(list(chosen), dtype=np.int64),
        tuple(metrics[place] for place in chosen),
        tuple(chosen.values()),
        tuple(tables),
    )


def resampled_tables(table: Table, multiplicity: NDArray[np.float32]) -> Floats:
    """Replicates × rows × columns: each unit's table as often as it was drawn. All numbers are whole."""
    # The first entry of every cell, then the second of those that have one, …: each time different cells.
    order = np.argsort(table.cell, kind="stable")
    begins = np.flatnonzero(np.diff(table.cell[order], prepend=-1))
    sizes = np.diff(begins, append=len(order))
    turn = np.arange(len(order)) - np.repeat(begins, sizes)
    order = order[np.argsort(turn, kind="stable")]
    ends = np.cumsum(np.bincount(turn)).tolist()
    # No sum can be larger than this; small numbers are added up faster.
    largest = int(multiplicity.sum(axis=1).max(initial=0)) * int(table.count.max(initial=0))
    kind = np.dtype(np.uint16 if largest < 1 << 16 else np.int64)
    by_unit = np.ascontiguousarray(multiplicity.T).astype(kind)
    cells = np.zeros((table.shape[0] * table.shape[1], len(multiplicity)), dtype=kind)
    cell, unit, count = table.cell[order], table.unit[order], table.count[order].astype(kind)
    is_one = bool((count == 1).all())
    for begin, end in pairwise([0, *ends]):
        drawn = by_unit[unit[begin:end]]
        cells[cell[begin:end]] += drawn if is_one else drawn * count[begin:end, None]
    tables = np.array(cells.T, dtype=np.float64, order="C").reshape(len(multiplicity), *table.shape)
    # Rules may keep what they compute from tables that do not change.
    tables.flags.writeable = False
    return tables
