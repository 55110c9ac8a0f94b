"""The arithmetic of learning curves: from totals to UAS, normalised UAS and COMPLEXITY.

All functions work on whole arrays and pass on leading axes, so that replicates are computed by the same code
as the figures themselves. UAS is in percent. What is undefined is NaN.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from .counts import Floats, Totals
from .simpson import simpson_weights

# The integral of the difference of two equal curves may miss zero by rounding.
_ZERO = 1e-9


def uas_by_output(totals: Totals) -> Floats:
    """[…, outputs, classes]."""
    return _percent(totals.right, totals.words[..., None, :])


def uas_by_size(totals: Totals, outputs_of_size: Sequence[Sequence[int]]) -> Floats:
    """[…, sizes, classes]: the average over the samples of each size.

    Counts are added before dividing, so that averages which are equal are equal to the last bit: whether a
    curve falls or reaches a score is not decided by rounding.
    """
    averages = [
        _percent(totals.right[..., list(outputs), :].sum(axis=-2), totals.words * len(outputs))
        for outputs in outputs_of_size
    ]
    return np.stack(averages, axis=-2)


def spread_over_samples(by_output: Floats, outputs_of_size: Sequence[Sequence[int]]) -> Floats:
    """[sizes, …]: the standard deviation over the samples of each size (n − 1); NaN for a single sample."""
    return np.stack(
        [
            by_output[list(outputs)].std(axis=0, ddof=1)
            if len(outputs) > 1
            else np.full(by_output.shape[1:], np.nan)
            for outputs in outputs_of_size
        ]
    )


def spread_of_average(spreads: Sequence[float | None]) -> float | None:
    """Of an average over test sets, whose samples are drawn independently; None if one of them is unknown.

    >>> spread_of_average([3.0, 4.0])
    2.5
    """
    known = [spread for spread in spreads if spread is not None]
    return math.hypot(*known) / len(known) if known and len(known) == len(spreads) else None


def normalise(curves: Floats, axis: int) -> Floats:
    """Per cent of the value at the largest size; NaN where that is 0."""
    largest = np.take(curves, [-1], axis=axis)
    shares = np.full(curves.shape, np.nan)
    np.divide(curves, largest, out=shares, where=np.broadcast_to(largest > 0, curves.shape))
    return 100 * shares


def complexity(sizes: Sequence[int], whole: Floats, of_classes: Floats) -> Floats:
    """[…, classes]: the signed area between the normalised curves of all words and of each class.

    `whole` is […, sizes] and `of_classes` […, sizes, classes]; the area is over the logarithm of the size.
    """
    weights = simpson_weights(np.log(sizes))
    area: Floats = np.einsum("s,...sc->...c", weights, whole[..., None] - of_classes)
    area[np.abs(area) < _ZERO] = 0.0
    return area


def _percent(right: Floats, words: Floats) -> Floats:
    shape = np.broadcast_shapes(right.shape, words.shape)
    shares = np.full(shape, np.nan)
    np.divide(right, words, out=shares, where=np.broadcast_to(words > 0, shape))
    return 100 * shares
