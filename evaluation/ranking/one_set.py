"""The standings of one test set alone, among the systems that have a valid file for it."""

from __future__ import annotations

from dataclasses import replace

from .standings import Standings, compute_standings


def on_one_set(standings: Standings, code: str) -> Standings:
    """By the same rules and with the same draws as the whole."""
    results, rules = standings.results, standings.rules
    valid = [name for name in results.systems if results.outcome(name, code).status == "valid"]
    alone = results.only(systems=valid, codes=[code])
    # Its groups would be averaged over as well, each time over the same single test set.
    alone = replace(alone, sets=tuple(replace(gold, groups=()) for gold in alone.sets))
    return compute_standings(alone, replace(rules, baselines=rules.baselines & set(valid)))
