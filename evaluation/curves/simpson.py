"""The composite Simpson rule for uneven spacing, as one weight per point.

In: the abscissae. Out: weights w, so that the integral of a function with the values y is the sum of w · y.
The rule needs an even number of intervals; if it is odd, the last interval is integrated under the parabola
through the last three points.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def simpson_weights(abscissae: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    """Exact for parabolas.

    >>> simpson_weights([0.0, 1.0, 2.0]).round(4).tolist()
    [0.3333, 1.3333, 0.3333]
    """
    steps = np.diff(np.asarray(abscissae, dtype=np.float64))
    if len(steps) < 2 or (steps <= 0).any():
        raise ValueError("Simpson's rule needs at least three points in increasing order")
    weights = np.zeros(len(steps) + 1)
    for first in range(0, len(steps) - 1, 2):
        weights[first : first + 3] += _over_two(*steps[first : first + 2])
    if len(steps) % 2:
        weights[-3:] += _over_last(*steps[-2:])
    return weights


def _over_two(left: float, right: float) -> NDArray[np.float64]:
    """Both intervals of three points."""
    whole = left + right
    return whole / 6 * np.array([2 - right / left, whole**2 / (left * right), 2 - left / right])


def _over_last(left: float, right: float) -> NDArray[np.float64]:
    """The second interval of three points."""
    whole = left + right
    return np.array(
        [
            -(right**3) / (6 * left * whole),
            right * (right + 3 * left) / (6 * left),
            right * (2 * right + 3 * left) / (6 * whole),
        ]
    )
