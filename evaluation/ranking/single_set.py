"""One test set of a standing: its ranking and its pairs, among the systems with a valid file for it.

In: the results and the rules of the whole standing, and a code. Out: `SetFigures`, which depend on nothing
but the files for this test set, so that each test set can be computed by itself, on any machine, and kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from .pairs import Pairs, pairs_on_set
from .places import Places, figures_alone, places_of
from .results import Results
from .standings import Rules, Standings, compute_standings
from .sums_store import SumsStore


@dataclass(frozen=True, kw_only=True)
class SetFigures:
    places: Places
    pairs: Pairs


def set_figures(
    results: Results,
    rules: Rules,
    code: str,
    main: Sequence[str],
    store: SumsStore | None = None,
    known: Pairs | None = None,
) -> SetFigures:
    """Computed by the same rules and with the same draws as the averages.

    `known` are pairs of systems whose files have not changed; intervals of such systems are in the store.
    """
    alone = standings_on_set(results, rules, code, compared=main, store=store)
    return SetFigures(places=places_of(alone), pairs=pairs_on_set(alone, main, known))


def figures_on_set(results: Results, rules: Rules, code: str) -> Places:
    """Only the figures, of systems that are listed without a rank."""
    return figures_alone(standings_on_set(results, replace(rules, replicates=0), code))


def standings_on_set(
    results: Results,
    rules: Rules,
    code: str,
    *,
    compared: Sequence[str] | None = None,
    store: SumsStore | None = None,
) -> Standings:
    valid = [name for name in results.systems if results.outcome(name, code).status == "valid"]
    # Averages over its groups would repeat the same single test set.
    alone = results.subset(systems=valid, codes=[code]).without_groups()
    if store is None or not store.has(code):
        alone = alone.opened()
    rules = replace(rules, baselines=rules.baselines & set(valid))
    return compute_standings(alone, rules, compared=compared, store=store)
