"""Every figure of a standing as arrays, for pages that show any metric of any scope or test set.

In: standings, and those of the withdrawn systems. Out: `Details`, which is stored as bytes and
read again without computing anything. A test set is ranked among the systems with a valid file for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..packing import Packed
from ..reading.fields import Mask
from .checkpoint import Checkpoint
from .pairs import Pairs, Singles
from .places import Places, Ranks
from .results import Status
from .single_set import standings_on_set
from .standings import Standings
from .tails import Floats

STATUSES: tuple[Status, ...] = ("valid", "invalid", "missing")
"""The status of a file; `set_status` has indices into this tuple."""
OF_PLACES = ("f1", "low", "high", "rank", "rank_low", "rank_high", "line_below")
ALL_SETS = 0.5
"""About the share of the work that goes into all test sets together; the rest goes into single ones."""
_NAMES = ("systems", "codes", "scopes", "metrics", "main")


@dataclass(frozen=True, kw_only=True, eq=False)
class Details(Packed):
    """Arrays over the names in these tuples. Figures are fractions; none is NaN, and no rank is 0.

    systems: in the order of the first main metric, the withdrawn ones after all others.
    scopes: `all`, groups by name, languages as `language:en`; metrics: all of the profile.
    """

    FORMAT = "standing 3"

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
    # Main metric × scope × system a × system b: p of a being above b.
    p: Floats
    # Main metric × a × b, over all test sets, where a has the higher figure and there were enough replicates.
    p_holm: Floats
    # Main metric × test set × a × b: the interval of F1(a) − F1(b), and p of a being above b.
    set_difference_low: Singles
    set_difference_high: Singles
    set_p: Singles

    @classmethod
    def from_bytes(cls, stored: bytes) -> Details:
        read = super().from_bytes(stored)
        names: dict[str, Any] = {name: tuple(getattr(read, name)) for name in _NAMES}
        return replace(read, **names)


def build_details(
    standings: Standings,
    main: Sequence[str],
    withdrawn: Standings | None = None,
    checkpoint: Checkpoint | None = None,
) -> Details:
    """`withdrawn` systems come after the others: they have figures, but no rank and no p-value."""
    results = standings.results
    both = (standings,) if withdrawn is None else (standings, withdrawn)
    systems = tuple(place.system for part in both for place in part.ranking(main[0]))
    scopes = Places(systems, len(results.scopes), results.metrics)
    sets = Places(systems, len(results.codes), results.metrics)
    pairs = Pairs(systems, main, scopes=len(results.scopes), sets=len(results.codes))
    pairs.put_holm(standings)
    for column, scope in enumerate(results.scopes):
        scopes.put(standings, column, scope)
        pairs.put_scope(standings, column, scope)
        if withdrawn is not None:
            scopes.put_figures(withdrawn, column, scope)
    for column, code in enumerate(results.codes):
        if checkpoint:
            begin, step = ALL_SETS, (1 - ALL_SETS) / len(results.codes)
            checkpoint.span = (begin + column * step, begin + (column + 1) * step)
        alone = standings_on_set(standings, code, checkpoint)
        sets.put(alone, column)
        pairs.put_set(alone, column)
        if withdrawn is not None:
            sets.put_figures(standings_on_set(withdrawn, code), column)
    return Details(
        systems=systems,
        codes=results.codes,
        scopes=tuple(results.scopes),
        metrics=results.metrics,
        main=tuple(main),
        set_status=_statuses(both, systems),
        p=pairs.p,
        p_holm=pairs.p_holm,
        set_difference_low=pairs.set_low,
        set_difference_high=pairs.set_high,
        set_p=pairs.set_p,
        **{name: getattr(scopes, name) for name in OF_PLACES},
        **{f"set_{name}": getattr(sets, name) for name in OF_PLACES},
    )


def _statuses(both: Sequence[Standings], systems: Sequence[str]) -> NDArray[np.int8]:
    of = {
        name: [STATUSES.index(part.results.outcome(name, code).status) for code in part.results.codes]
        for part in both
        for name in part.results.systems
    }
    return np.array([of[name] for name in systems], dtype=np.int8)
