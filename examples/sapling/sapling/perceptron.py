"""The averaged perceptron.

Weights are integers, and so are their averages multiplied by the number of steps, which order the candidates
in the same way. So sums are exact and a model gives the same trees on every machine.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Weights = NDArray[np.int64]


class Perceptron:
    def __init__(self, *shape: int) -> None:
        self.weights: Weights = np.zeros(shape, dtype=np.int64)
        self._weighted: Weights = np.zeros(shape, dtype=np.int64)
        self._step = 1

    def add(self, places: Any, amount: int) -> None:
        """Reward or punish features; a place that occurs several times counts as often."""
        np.add.at(self.weights, places, amount)
        np.add.at(self._weighted, places, amount * self._step)

    def next(self) -> None:
        """Another sentence has been processed."""
        self._step += 1

    def averaged(self) -> Weights:
        """The mean of the weights over all steps, times the number of steps."""
        return self._step * self.weights - self._weighted
