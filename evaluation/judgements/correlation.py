"""How well a metric agrees with people, and whether two metrics differ in that.

Both sides are signs: −1 for the first system, 1 for the second, 0 for a tie. Spearman's ρ of two signs
depends on a table of three by three counts only, so a bootstrap over items re-sums these tables.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .table import MISSING

Floats = NDArray[np.float64]
Signs = NDArray[np.int8]
_SIGNS = 3
_EXACT = 1e-12


def spearman(left: Signs, right: Signs) -> float | None:
    """Spearman's ρ with mean ranks for ties; None if either side is constant."""
    value = float(resample_spearman(left, right, np.ones((1, len(left))))[0])
    return None if np.isnan(value) else value


def resample_spearman(left: Signs, right: Signs, weights: Floats) -> Floats:
    """Spearman's ρ in each replicate; NaN where a side is constant."""
    cells = (left.astype(np.int64) + 1) * _SIGNS + right + 1
    table = (weights @ np.equal(cells[:, None], np.arange(_SIGNS * _SIGNS))).reshape(-1, _SIGNS, _SIGNS)
    total = table.sum(axis=(1, 2))
    left_ranks, right_ranks = _mean_ranks(table.sum(axis=2)), _mean_ranks(table.sum(axis=1))
    middle = ((total + 1) / 2)[:, None]
    left_ranks, right_ranks = left_ranks - middle, right_ranks - middle
    covariance = np.einsum("rij,ri,rj->r", table, left_ranks, right_ranks)
    spread = (table.sum(axis=2) * left_ranks**2).sum(axis=1) * (table.sum(axis=1) * right_ranks**2).sum(
        axis=1
    )
    defined = spread > 0
    return np.where(defined, covariance / np.sqrt(np.where(defined, spread, 1)), np.nan)


def rank_correlation(left: Floats, right: Floats) -> float | None:
    """Spearman's ρ of any two sequences, with mean ranks for ties."""
    ranks = [_ranks(side) - (len(side) + 1) / 2 for side in (left, right)]
    spread = float((ranks[0] ** 2).sum() * (ranks[1] ** 2).sum())
    return None if spread <= _EXACT else float((ranks[0] * ranks[1]).sum()) / math.sqrt(spread)


def agreement_with_people(labels: NDArray[np.int8], metric: Signs) -> float:
    """Mean over annotators of the share of their judgements that are the metric's choice.

    A tie of the metric counts half, whatever the judgement, and so does a judgement that both are equal.
    """
    return float(resample_agreement(labels, metric, np.ones((1, len(metric))))[0])


def resample_agreement(labels: NDArray[np.int8], metric: Signs, weights: Floats) -> Floats:
    """An annotator without judgements in a replicate does not count in it."""
    judged = labels != MISSING
    people = signs_of(labels)
    is_tie = (people == 0) | (metric == 0)[:, None]
    credit = np.where(is_tie, 0.5, np.equal(people, metric[:, None]))
    drawn = weights @ judged
    agreeing = weights @ (credit * judged)
    shares = np.where(drawn > 0, agreeing / np.maximum(drawn, 1), 0)
    return np.asarray(shares.sum(axis=1) / np.maximum((drawn > 0).sum(axis=1), 1))


def signs_of(choices: NDArray[np.int8]) -> Signs:
    """Indices of choices (first, second, equal) as signs; missing ones become 0."""
    return np.array([-1, 1, 0, 0], dtype=np.int8)[choices]


def fisher_z_p(left: float, right: float, items: int) -> float | None:
    """Two-sided p of the difference of two correlations by Fisher's z, as if the samples were independent."""
    if items <= 3 or abs(left) >= 1 or abs(right) >= 1:
        return None
    z = (math.atanh(left) - math.atanh(right)) / math.sqrt(2 / (items - 3))
    return math.erfc(abs(z) / math.sqrt(2))


def _mean_ranks(counts: Floats) -> Floats:
    """Replicates × values in ascending order: the mean rank of each value."""
    return np.cumsum(counts, axis=1) - counts + (counts + 1) / 2


def _ranks(values: Floats) -> Floats:
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: Floats = _mean_ranks(counts[None, :].astype(float))[0][inverse]
    return ranks
