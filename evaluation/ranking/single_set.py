"""The standings of one test set alone, among the systems that have a valid file for it."""

from __future__ import annotations

from dataclasses import replace

from .checkpoint import Checkpoint
from .standings import Standings, compute_standings


def standings_on_set(standings: Standings, code: str, checkpoint: Checkpoint | None = None) -> Standings:
    """Computed by the same rules and with the same draws as the full standings."""
    results, rules = standings.results, standings.rules
    valid = [name for name in results.systems if results.outcome(name, code).status == "valid"]
    alone = results.subset(systems=valid, codes=[code])
    # Averages over its groups would repeat the same single test set.
    alone = replace(alone, sets=tuple(replace(gold, groups=()) for gold in alone.sets))
    rules = replace(rules, baselines=rules.baselines & set(valid))
    return compute_standings(alone, rules, checkpoint=checkpoint, part=f"set {code}")
