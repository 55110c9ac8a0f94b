"""The sums of every metric, over the whole file or by unit of resampling: counts, and tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..packing import Buffer, narrow, pack, unpack
from ..reading.fields import Ints
from .checked_sums import checked_counts, checked_table
from .compare import Comparison
from .metric import CountMetric, Metric, SpanMetric, TableMetric, Units, WordMetric
from .profile import ProfileError
from .profiles import PROFILES, definitions
from .selection import Selection, UnitCounter, select
from .table import Table
from .tally import Tally as Tally
from .units import Unit as Unit
from .units import find_units
from .units import gold_sentence_of_tokens as gold_sentence_of_tokens
from .units import resampling_unit as resampling_unit

_FORMAT = "counts 2"
_OF_TABLES = ("unit", "row", "column", "count")


@dataclass(frozen=True, slots=True)
class Counts:
    """Sums of one system file by unit: `values[unit, metric]` is gold, system, correct, aligned.

    They are all that significance tests need, and as secret as the gold file.
    """

    metrics: tuple[str, ...]
    values: NDArray[np.int32]
    # The tables from which the other metrics of the profile are computed.
    tables: Mapping[str, Table] = field(default_factory=dict)

    @property
    def units(self) -> int:
        return len(self.values)

    def to_bytes(self) -> bytes:
        """Each different column is stored once: most repeat, as every word metric has the same gold words."""
        columns = narrow(self.values.reshape(self.units, -1).T)
        different, column = np.unique(columns, axis=0, return_inverse=True)
        arrays = {"different": different, "column": narrow(column)}
        strings: dict[str, Any] = {"metrics": self.metrics}
        for name, table in self.tables.items():
            arrays |= {f"{part} {name}": narrow(getattr(table, part)) for part in _OF_TABLES}
            strings |= {f"rows {name}": table.rows, f"columns {name}": table.columns}
        if self.tables:
            strings |= {"tables": tuple(self.tables), "units": [str(self.units)]}
        return pack(_FORMAT, arrays, strings)

    @classmethod
    def from_bytes(cls, stored: Buffer) -> Counts:
        """What `to_bytes` wrote; ValueError where it is anything else."""
        arrays, strings = unpack(_FORMAT, stored)
        try:
            metrics = tuple(strings["metrics"])
            columns = arrays["different"][arrays["column"]]
            units = int(strings["units"][0]) if "units" in strings else -1
            values = columns.T.reshape(units, len(metrics), 4).astype(np.int32)
            tables = {name: _read_table(name, arrays, strings) for name in strings.get("tables", ())}
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise ValueError(f"damaged {_FORMAT}: {error}") from error
        return cls(metrics, values, tables)

    def tally(self, metric: str, unit: int | None = None) -> Tally:
        """The counts of the whole file, or of one unit."""
        values = self.values[:, self.metrics.index(metric)]
        return Tally(*(values.sum(axis=0, dtype=np.int64) if unit is None else values[unit]).tolist())


def tallies(comparison: Comparison) -> Mapping[str, Tally]:
    """The counts of the whole file for every metric that has counts."""
    result = {}
    for name, metric in definitions(comparison.profile, comparison.options).items():
        if isinstance(metric, CountMetric):
            gold, system, correct = (
                _count(name, comparison, metric, find_units(comparison)).sum(axis=0).tolist()
            )
            result[name] = Tally(gold, system, correct)
        elif not isinstance(metric, TableMetric):
            result[name] = _select(name, comparison, metric).tally
    return result


def counts_by_unit(comparison: Comparison, unit: Unit = "sentence") -> Counts:
    """The sums of every metric for every unit of the gold file."""
    units = find_units(comparison, unit)
    metrics = definitions(comparison.profile, comparison.options)
    names = [name for name, metric in metrics.items() if not isinstance(metric, TableMetric)]
    counter = UnitCounter(units)
    columns = [_counts(name, comparison, metrics[name], units, counter) for name in names]
    values = np.stack(columns, axis=1) if columns else np.zeros((units.number, 0, 4))
    return Counts(tuple(names), values.astype(np.int32), tables_by_unit(comparison, units))


def tables_by_unit(comparison: Comparison, units: Units) -> dict[str, Table]:
    """The tables of the profile."""
    profile = comparison.profile
    if PROFILES.is_own(profile):
        return {name: count(comparison, units) for name, count in profile.tables.items()}
    return {name: checked_table(name, comparison, count, units) for name, count in profile.tables.items()}


def _counts(name: str, comparison: Comparison, metric: Metric, units: Units, counter: UnitCounter) -> Ints:
    """Units × (gold, system, correct, aligned)."""
    if isinstance(metric, CountMetric):
        return _count(name, comparison, metric, units)[:, [0, 1, 2, 2]]
    assert not isinstance(metric, TableMetric)
    return counter.count(_select(name, comparison, metric))


def _count(name: str, comparison: Comparison, metric: CountMetric, units: Units) -> Ints:
    if PROFILES.is_own(comparison.profile):
        return metric.count(comparison, units)
    return checked_counts(name, comparison, metric.count, units)


def _select(name: str, comparison: Comparison, metric: WordMetric | SpanMetric) -> Selection:
    """Masks of the wrong shape raise errors in numpy."""
    if PROFILES.is_own(comparison.profile):
        return select(comparison, metric)
    try:
        return select(comparison, metric)
    except Exception as error:
        # Whatever it is, it is an error of the profile, and must be reported as one.
        what = f"{type(error).__name__}: {error}"
        raise ProfileError(f"the profile {comparison.profile.name} cannot compute {name}: {what}") from error


def _read_table(name: str, arrays: Mapping[str, Any], strings: Mapping[str, Any]) -> Table:
    units = int(strings["units"][0])
    parts = (arrays[f"{part} {name}"].astype(np.int64) for part in _OF_TABLES)
    return Table(tuple(strings[f"rows {name}"]), tuple(strings[f"columns {name}"]), units, *parts)
