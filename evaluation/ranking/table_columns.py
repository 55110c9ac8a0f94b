"""The tables of all systems on one test set, ready to be resampled: replicates of tables, then figures.

The tables of a replicate are sums of the tables of its units: one product of matrices for all replicates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..reading.fields import Ints
from ..scoring.metric import TableMetric
from ..scoring.table import Table
from .results import Results
from .tails import Floats

# Units are added up in blocks of this size, which bounds the memory for the dense form of a sparse table.
_UNITS_AT_ONCE = 4096


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
        # Systems without a valid file stay at 0.
        figures = np.zeros((len(self.tables), len(self.metrics), len(multiplicity)))
        for system, tables in enumerate(self.tables):
            if not tables:
                continue
            # Metrics of the same table share its replicates.
            for name in dict.fromkeys(metric.table for metric in self.definitions):
                replicates = resampled_tables(tables[name], multiplicity)
                for place, metric in enumerate(self.definitions):
                    if metric.table == name:
                        figures[system, place] = self._figures(place, metric, replicates)
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
        tables.append(outcome.counts.tables if outcome.status == "valid" else {})
        if outcome.status != "valid":
            continue
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
    used, place = np.unique(table.cell, return_inverse=True)
    # Below 2^24 single precision is exact, and half the work.
    kind = (
        np.float32
        if int(multiplicity.sum(axis=1).max(initial=0)) * table.count.max(initial=0) < 1 << 24
        else np.float64
    )
    totals = np.zeros((len(multiplicity), len(used)), dtype=kind)
    for begin in range(0, table.units, _UNITS_AT_ONCE):
        end = min(begin + _UNITS_AT_ONCE, table.units)
        here = slice(*np.searchsorted(table.unit, [begin, end]))
        dense = np.zeros((end - begin, len(used)), dtype=kind)
        dense[table.unit[here] - begin, place[here]] = table.count[here]
        totals += multiplicity[:, begin:end].astype(kind, copy=False) @ dense
    cells = np.zeros((len(multiplicity), table.shape[0] * table.shape[1]))
    cells[:, used] = totals
    return cells.reshape(len(multiplicity), *table.shape)
