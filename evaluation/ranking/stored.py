"""Standings read back from their arrays, with everything that a document says of them.

In: `Details`, and what is not a figure: test sets, rules, signature. Out: `StoredStandings`, with the same
answers as the `Standings` that the arrays were made from. They have no counts and resample nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ..scoring.metric import Metric
from ..scoring.options import Options
from .aggregate import sort_by_figure
from .details import STATUSES, Details
from .pairs import Pairs
from .results import EVERYTHING, GoldSet, Outcome, Results
from .standings import TOO_FEW_UNITS, Place, Rules, Standings

VALID = STATUSES.index("valid")


@dataclass(frozen=True, kw_only=True)
class StoredOutcome(Outcome):
    """An outcome of which the figures were stored and not the counts."""

    f1_by_metric: Mapping[str, float]

    def figures(self, metrics: Mapping[str, Metric]) -> dict[str, float]:
        return dict(self.f1_by_metric)


@dataclass(frozen=True, kw_only=True)
class StoredStandings(Standings):
    details: Details
    read_pairs: Callable[[str], Pairs]
    """Of a column: the name of a scope, or `set:` and a code."""
    stored_signature: str

    def averages(self, metric: str, scope: str = EVERYTHING) -> Mapping[str, float]:
        figures = self.details.f1[:, self._column(scope), self._number(metric)].tolist()
        return {name: figures[self._row[name]] for name in self.results.systems}

    def interval(self, system: str, metric: str, scope: str = EVERYTHING) -> tuple[float, float] | None:
        cell = self._cell(system, metric, scope)
        low, high = float(self.details.low[cell]), float(self.details.high[cell])
        return None if low != low else (low, high)

    def p(self, a: str, b: str, metric: str, scope: str = EVERYTHING) -> float | None:
        """Stored for main metrics only, for the better one of the two."""
        return self._pairs(scope).p_of(metric, a, b)

    def reason(self, scope: str = EVERYTHING) -> str:
        codes = self.results.scopes[scope]
        is_small = len(codes) == 1 and self.details.set_too_small[self.details.codes.index(codes[0])]
        return TOO_FEW_UNITS if is_small else ""

    def ranking(self, metric: str, scope: str = EVERYTHING) -> list[Place]:
        averages = self.averages(metric, scope)
        order = sort_by_figure(averages, self.results.presentation(metric))
        return [self._place_of(name, metric, scope, averages[name]) for name in order]

    def signature(self, metric: str, key: bytes | None = None) -> str:
        return self.stored_signature

    def _place_of(self, system: str, metric: str, scope: str, f1: float) -> Place:
        details, cell = self.details, self._cell(system, metric, scope)
        low, high = self.interval(system, metric, scope) or (None, None)
        best, worst = int(details.rank_low[cell]), int(details.rank_high[cell])
        return Place(
            system=system,
            rank=int(details.rank[cell]) or None,
            f1=f1,
            low=low,
            high=high,
            rank_range=(best, worst) if best else None,
            line_below=bool(details.line_below[cell]),
            baseline=system in self.rules.baselines,
        )

    def _cell(self, system: str, metric: str, scope: str) -> tuple[int, int, int]:
        return self._row[system], self._column(scope), self._number(metric)

    def _column(self, scope: str) -> int:
        return self.details.scopes.index(scope)

    def _number(self, metric: str) -> int:
        return self.details.metrics.index(metric)

    def _pairs(self, scope: str) -> Pairs:
        if scope not in self._read:
            self._read[scope] = self.read_pairs(scope)
        return self._read[scope]

    @cached_property
    def _read(self) -> dict[str, Pairs]:
        return {}

    @cached_property
    def _row(self) -> Mapping[str, int]:
        return {name: row for row, name in enumerate(self.details.systems)}


def stored_standings(
    details: Details,
    systems: Sequence[str],
    read_pairs: Callable[[str], Pairs],
    *,
    profile: str,
    sets: Sequence[GoldSet],
    rules: Rules,
    signature: str,
    options: Options | None = None,
) -> StoredStandings:
    """Of these systems of the arrays: the ranked ones, or those that were withdrawn."""
    rows = {name: row for row, name in enumerate(details.systems)}
    results = Results(
        profile=profile,
        sets=tuple(sets),
        systems={name: _outcomes(details, rows[name]) for name in systems},
        options=options,
        only=details.metrics,
    )
    return StoredStandings(
        results=results,
        rules=rules,
        resampled=None,
        details=details,
        read_pairs=read_pairs,
        stored_signature=signature,
    )


def _outcomes(details: Details, row: int) -> dict[str, Outcome]:
    statuses, figures = details.set_status[row].tolist(), details.set_f1[row].tolist()
    return {
        code: StoredOutcome(
            status=STATUSES[place],
            f1_by_metric=dict(zip(details.metrics, f1, strict=True)) if place == VALID else {},
        )
        for code, place, f1 in zip(details.codes, statuses, figures, strict=True)
    }
