"""Figures of many replicates rounded exactly as `Presentation.text` prints one.

Systems share a rank if their figures are equal as printed, in the results and by the same rule in every
replicate. So replicates have to be rounded like the figures: by the decimal digits of the double, not of a
product that was rounded on the way.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..scoring.presentation import Presentation
from .tails import Floats

# Splits a double into two halves whose products with small numbers are exact (Dekker, 1971).
_SPLIT = float((1 << 27) + 1)
# Larger than any printed figure; the worst possible figure where a system has none.
_LARGEST = float((1 << 31) - 1)
# Figures that are rounded at once: few enough for the processor's cache.
_BLOCK = 1 << 15


def printed(figures: Floats, presentation: Presentation) -> NDArray[np.signedinteger]:
    """Whole numbers of the last printed digit, the larger the better. No figure is NaN.

    >>> printed(np.array([0.76304, 0.763, 0.5]), Presentation(explanation="")).tolist()
    [7630, 7630, 5000]
    """
    flat = figures.reshape(-1)
    largest = presentation.factor * 10.0**presentation.digits * float(np.abs(flat).max(initial=0))
    numbers = np.empty(flat.shape, dtype=np.int16 if largest < (1 << 15) - 1 else np.int32)
    for begin in range(0, len(flat), _BLOCK):
        rounded = _rounded(flat[begin : begin + _BLOCK], presentation)
        if largest >= _LARGEST:
            np.clip(rounded, -_LARGEST, _LARGEST, out=rounded)
        numbers[begin : begin + _BLOCK] = rounded
    return numbers.reshape(figures.shape)


def _rounded(figures: Floats, presentation: Presentation) -> Floats:
    scaled = presentation.factor * figures
    power = 10.0**presentation.digits
    product = scaled * power
    nearest: Floats = np.rint(product)
    # Only exactly between two printed values does the rounding error of the product decide.
    np.subtract(product, nearest, out=scaled)
    middle = np.abs(scaled, out=scaled) == 0.5
    if middle.any():
        scaled = presentation.factor * figures
        nearest[middle] = _from_the_middle(scaled[middle], power, product[middle], nearest[middle])
    nearest *= presentation.sign
    return nearest


def _from_the_middle(scaled: Floats, power: float, product: Floats, even: Floats) -> Floats:
    """Down or up by the sign of what the product has lost; to the even one if it has lost nothing."""
    upper = scaled * _SPLIT
    upper -= upper - scaled
    lost = (upper * power - product) + (scaled - upper) * power
    return np.where(lost > 0, np.ceil(product), np.where(lost < 0, np.floor(product), even))
