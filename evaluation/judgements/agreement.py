"""Agreement between annotators: raw, Cohen's κ, Fleiss' κ and Krippendorff's α for nominal choices.

Every coefficient is computed from integer tables that add up over items, so that a bootstrap over items
re-sums them. A coefficient is None where it is not defined, for example if all annotators always chose the
same.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from .table import MISSING

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Agreement:
    raw: float | None
    cohen: float | None
    fleiss: float | None
    """None as well if the items do not have equally many judgements."""
    krippendorff: float | None


def measure(labels: NDArray[np.int8], choices: int) -> Agreement:
    """The agreement of a table of items × annotators."""
    weights = np.ones((1, len(labels)))
    values = {name: float(measured[0]) for name, measured in resample(labels, choices, weights).items()}
    return Agreement(**{name: None if np.isnan(value) else value for name, value in values.items()})


def resample(labels: NDArray[np.int8], choices: int, weights: Floats) -> dict[str, Floats]:
    """Every coefficient in each replicate: `weights` says how often each item was drawn in it."""
    raw, cohen = _pairwise(labels, choices, weights)
    return {
        "raw": raw,
        "cohen": cohen,
        "fleiss": _fleiss(labels, choices, weights),
        "krippendorff": _krippendorff(labels, choices, weights),
    }


def _pairwise(labels: NDArray[np.int8], choices: int, weights: Floats) -> tuple[Floats, Floats]:
    """Unweighted means over the pairs of annotators, each on the items that both judged."""
    raw, cohen = [], []
    for left, right in combinations(range(labels.shape[1]), 2):
        both = (labels[:, left] != MISSING) & (labels[:, right] != MISSING)
        cells = labels[:, left].astype(np.int64) * choices + labels[:, right]
        table = weights[:, both] @ _one_hot(cells[both], choices * choices)
        table = table.reshape(-1, choices, choices)
        total = table.sum(axis=(1, 2))
        with np.errstate(invalid="ignore", divide="ignore"):
            observed = np.trace(table, axis1=1, axis2=2) / total
            expected = (table.sum(axis=1) * table.sum(axis=2)).sum(axis=1) / total**2
            raw.append(observed)
            cohen.append(_beyond_chance(observed, expected))
    return _mean(raw, len(weights)), _mean(cohen, len(weights))


def _fleiss(labels: NDArray[np.int8], choices: int, weights: Floats) -> Floats:
    counts = _counts(labels, choices)
    per_item = counts.sum(axis=1)
    judgements = int(per_item[0]) if len(per_item) else 0
    if judgements < 2 or (per_item != judgements).any():
        return np.full(len(weights), np.nan)
    drawn = weights.sum(axis=1)
    agreeing = weights @ (counts * (counts - 1)).sum(axis=1) / (judgements * (judgements - 1))
    shares = weights @ counts / (drawn * judgements)[:, None]
    return _beyond_chance(agreeing / drawn, (shares**2).sum(axis=1))


def _krippendorff(labels: NDArray[np.int8], choices: int, weights: Floats) -> Floats:
    """Items with fewer than two judgements have nothing to compare and do not count."""
    counts = _counts(labels, choices)
    per_item = counts.sum(axis=1)
    counts, per_item = counts[per_item >= 2], per_item[per_item >= 2]
    weights = weights[:, _counts(labels, choices).sum(axis=1) >= 2]
    with np.errstate(invalid="ignore", divide="ignore"):
        disagreeing = (per_item**2 - (counts**2).sum(axis=1)) / (per_item - 1)
        totals = weights @ counts
        values = totals.sum(axis=1)
        observed = weights @ disagreeing / values
        expected = (values**2 - (totals**2).sum(axis=1)) / (values * (values - 1))
        return np.where(expected > 0, 1 - observed / np.where(expected > 0, expected, 1), np.nan)


def _counts(labels: NDArray[np.int8], choices: int) -> Floats:
    """How many annotators made each choice, by item."""
    return np.stack([(labels == choice).sum(axis=1) for choice in range(choices)], axis=1).astype(float)


def _beyond_chance(observed: Floats, expected: Floats) -> Floats:
    possible = expected < 1
    return np.where(possible, (observed - expected) / np.where(possible, 1 - expected, 1), np.nan)


def _mean(values: list[Floats], replicates: int) -> Floats:
    """Pairs without common items, or without variation, do not count."""
    if not values:
        return np.full(replicates, np.nan)
    stacked = np.stack(values)
    defined = ~np.isnan(stacked)
    count = defined.sum(axis=0)
    return np.where(count > 0, np.where(defined, stacked, 0).sum(axis=0) / np.maximum(count, 1), np.nan)


def _one_hot(cells: NDArray[np.int64], size: int) -> Floats:
    return np.equal(cells[:, None], np.arange(size)).astype(float)
