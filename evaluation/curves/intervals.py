"""95% intervals: the 2.5th and the 97.5th percentile of replicates."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..ranking.tails import TAIL
from .counts import Floats
from .placement import place

Interval = tuple[float, float]


def interval(values: Floats | None) -> Interval | None:
    """The interval of one figure; None if it is undefined in some replicate."""
    if values is None or not len(values) or np.isnan(values).any():
        return None
    low, high = np.quantile(values, [TAIL, 1 - TAIL])
    return float(low), float(high)


def interval_of_sentences(
    scores: Floats | None, sizes: Sequence[int], curves: Floats | None
) -> Interval | None:
    """The interval of a data-size equivalent: each replicate of the score on the same replicate of the curve.

    Ends outside the curve are 0 or infinite, so nothing is interpolated between two replicates.
    """
    if scores is None or curves is None or np.isnan(scores).any() or np.isnan(curves).any():
        return None
    places = sorted(
        place(score, sizes, curve).sentences
        for score, curve in zip(scores.tolist(), curves.tolist(), strict=True)
    )
    position = TAIL * (len(places) - 1)
    return places[math.floor(position)], places[math.ceil(len(places) - 1 - position)]
