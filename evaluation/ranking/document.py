"""The standings as one JSON document: every figure, unrounded, as fractions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from typing import Any

from .analyses import decisive_sets, metric_agreement, win_record
from .results import EVERYTHING, LANGUAGE
from .standings import Pair, Place, Standings


def build_document(standings: Standings, main: Sequence[str], key: bytes | None = None) -> dict[str, Any]:
    """Systems in the order of the first main metric; pairs for every main metric.

    `key` hides the hashes of gold that is not released.
    """
    results = standings.results
    rankings = {metric: {place.system: place for place in standings.ranking(metric)} for metric in main}
    return {
        "signature": standings.signature("+".join(main), key),
        "profile": results.rules.name,
        "metric": main[0],
        "test": standings.rules.test,
        "test_sets": [
            {"code": gold.code, "language": gold.language, "groups": list(gold.groups)}
            for gold in results.sets
        ],
        "without_intervals": {
            scope: reason for scope in results.scopes if (reason := standings.reason(scope))
        },
        "systems": [
            {
                "name": place.system,
                "baseline": place.baseline,
                **_standing(place),
                "rankings": {metric: _standing(places[place.system]) for metric, places in rankings.items()},
                "macro": {
                    scope: _figures(standings, place.system, scope) for scope in (EVERYTHING, *results.groups)
                },
                "languages": {
                    name: _figures(standings, place.system, LANGUAGE + name) for name in results.languages
                },
                "treebanks": {code: _file(standings, place.system, code) for code in results.codes},
            }
            for place in rankings[main[0]].values()
        ],
        "pairs": [_pair(standings, pair) for metric in main for pair in standings.pairs(metric)],
        "agreement": metric_agreement(standings, results.metrics),
    }


def _standing(place: Place) -> Mapping[str, Any]:
    return {
        "rank": place.rank,
        "rank_range": None if place.rank_range is None else list(place.rank_range),
        "line_below": place.line_below,
    }


def _figures(standings: Standings, system: str, scope: str) -> Mapping[str, Mapping[str, float | None]]:
    figures: dict[str, dict[str, float | None]] = {}
    for metric in standings.results.metrics:
        low, high = standings.interval(system, metric, scope) or (None, None)
        average = standings.averages(metric, scope)[system]
        figures[metric] = {"f1": None if isnan(average) else average, "low": low, "high": high}
        if standings.rules.missing == "exclude":
            figures[metric]["files"] = standings.averaged_files(system, metric, scope)
    return figures


def _file(standings: Standings, system: str, code: str) -> Mapping[str, str | float]:
    outcome = standings.results.outcome(system, code)
    file: dict[str, str | float] = {"status": outcome.status}
    if outcome.run:
        file["run"] = outcome.run
    if outcome.message:
        file["message"] = outcome.message
    return {**file, **standings.results.figures(system, code)}


def _pair(standings: Standings, pair: Pair) -> Mapping[str, Any]:
    results = standings.results
    sets = win_record(results, pair.a, pair.b, pair.metric, policy=standings.rules.missing)
    entry: dict[str, Any] = {
        "a": pair.a,
        "b": pair.b,
        "metric": pair.metric,
        "difference": None if isnan(pair.difference) else pair.difference,
        "p": pair.p,
        "p_holm": pair.p_holm,
    }
    if pair.reason:
        entry["p_reason" if pair.p is None else "p_holm_reason"] = pair.reason
    decisive = decisive_sets(results, pair.a, pair.b, pair.metric, policy=standings.rules.missing)
    if sets.not_compared:
        entry["not_compared"] = list(sets.not_compared)
    return {**entry, "wins": sets.wins, "ties": sets.ties, "losses": sets.losses, "decided_by": decisive}
