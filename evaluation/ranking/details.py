"""Every figure of a standing as arrays, for pages that show any metric of any scope or test set.

In: standings, and those of the withdrawn systems. Out: `Details`, which is stored as bytes and
read again without computing anything. A test set is ranked among the systems with a valid file for it.
Comparisons of pairs are not part of it: they come beside it, a `Pairs` for each scope and test set.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..packing import Buffer, Packed
from ..reading.fields import Mask
from .pairs import Pairs, pairs_of_scope
from .places import OF_PLACES, Places, Ranks, figures_alone, places_of
from .results import Status
from .single_set import SetFigures, figures_on_set, set_figures
from .standings import Standings
from .tails import Floats

STATUSES: tuple[Status, ...] = ("valid", "invalid", "missing")
"""The status of a file; `set_status` has indices into this tuple."""
SET = "set:"
"""Before the code of a test set in the name of its column; other columns have the name of their scope."""
_NAMES = ("systems", "codes", "scopes", "metrics", "main")


@dataclass(frozen=True, kw_only=True, eq=False)
class Details(Packed):
    """Arrays over the names in these tuples. Figures are fractions; none is NaN, and no rank is 0.

    systems: in the order of the first main metric, the withdrawn ones after all others.
    scopes: `all`, groups by name, languages as `language:en`; metrics: all of the profile.
    """

    FORMAT = "standing 4"

    systems: tuple[str, ...]
    codes: tuple[str, ...]
    scopes: tuple[str, ...]
    metrics: tuple[str, ...]
    main: tuple[str, ...]
    # System × scope × metric; `line_below`: significantly above the next in this scope by this metric.
    f1: Floats
    low: Floats
    high: Floats
    rank: Ranks
    rank_low: Ranks
    rank_high: Ranks
    line_below: Mask
    # The same of single test sets: system × test set × metric.
    set_f1: Floats
    set_low: Floats
    set_high: Floats
    set_rank: Ranks
    set_rank_low: Ranks
    set_rank_high: Ranks
    set_line_below: Mask
    # System × test set: an index into STATUSES.
    set_status: NDArray[np.int8]
    # Test set: whether it has too few units for intervals and p-values of its own.
    set_too_small: Mask

    @classmethod
    def from_bytes(cls, stored: Buffer) -> Details:
        read = super().from_bytes(stored)
        names: dict[str, Any] = {name: tuple(getattr(read, name)) for name in _NAMES}
        return replace(read, **names)


@dataclass(frozen=True, kw_only=True)
class Columns:
    """The parts of a standing: places of every scope and test set, by the name of the column."""

    places: Mapping[str, Places]
    withdrawn: Mapping[str, Places]


def build_details(
    standings: Standings,
    main: Sequence[str],
    withdrawn: Standings | None = None,
    *,
    keep: Callable[[str, Pairs], object] | None = None,
    compute_set: Callable[[str], SetFigures] | None = None,
) -> Details:
    """`withdrawn` systems come after the others: they have figures, but no rank and no p-value.

    `keep` receives the pairs of every column. `compute_set` replaces the computation of a test set.
    """
    results, rules = standings.results, standings.rules
    places: dict[str, Places] = {}
    for scope in results.scopes:
        places[scope] = places_of(standings, scope)
        if keep:
            keep(scope, pairs_of_scope(standings, main, scope))
    for code in results.codes:
        alone = compute_set(code) if compute_set else set_figures(results, rules, code, main, standings.sums)
        places[SET + code] = alone.places
        if keep:
            keep(SET + code, alone.pairs)
    unranked = {} if withdrawn is None else _unranked(withdrawn)
    return _details(standings, withdrawn, main, Columns(places=places, withdrawn=unranked))


def _unranked(withdrawn: Standings) -> dict[str, Places]:
    results = withdrawn.results
    return {
        **{scope: figures_alone(withdrawn, scope) for scope in results.scopes},
        **{SET + code: figures_on_set(results, withdrawn.rules, code) for code in results.codes},
    }


def _details(
    standings: Standings, withdrawn: Standings | None, main: Sequence[str], columns: Columns
) -> Details:
    results = standings.results
    both = (standings,) if withdrawn is None else (standings, withdrawn)
    systems = tuple(place.system for part in both for place in part.ranking(main[0]))
    sets = [SET + code for code in results.codes]
    return Details(
        systems=systems,
        codes=results.codes,
        scopes=tuple(results.scopes),
        metrics=results.metrics,
        main=tuple(main),
        set_status=_statuses(both, systems),
        set_too_small=np.array([bool(columns.places[name].reason) for name in sets], dtype=bool),
        **_stacked(systems, list(results.scopes), columns, ""),
        **_stacked(systems, sets, columns, "set_"),
    )


def _stacked(
    systems: Sequence[str], names: Sequence[str], columns: Columns, prefix: str
) -> dict[str, NDArray[Any]]:
    """Systems × columns × metrics, of the columns with these names."""
    index = {name: row for row, name in enumerate(systems)}
    metrics = next(iter(columns.places.values())).f1.shape[1]
    arrays: dict[str, NDArray[Any]] = {}
    for field in OF_PLACES:
        kind = getattr(next(iter(columns.places.values())), field).dtype
        empty = np.nan if kind.kind == "f" else 0
        array = np.full((len(systems), len(names), metrics), empty, dtype=kind)
        for part in (columns.places, columns.withdrawn):
            for column, name in enumerate(names):
                if name in part:
                    rows = [index[system] for system in part[name].systems]
                    array[rows, column] = getattr(part[name], field)
        arrays[prefix + field] = array
    return arrays


def _statuses(both: Sequence[Standings], systems: Sequence[str]) -> NDArray[np.int8]:
    of = {
        name: [STATUSES.index(part.results.outcome(name, code).status) for code in part.results.codes]
        for part in both
        for name in part.results.systems
    }
    return np.array([of[name] for name in systems], dtype=np.int8)
