"""From a figure to one of 21 tones, `h0` to `h20`, whose colours the stylesheet gives.

In: all figures of the matrix. Out: a scale, which says the tone of each and what the legend prints. One
failed file would leave all others in one tone, so the scale ends where the worst tenth begins.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan

import numpy as np

from evaluation import Presentation
from evaluation.ranking.tails import Floats
from evaluation.scoring.presentation import PLAIN
from sharedtask.leaderboard.matrix.cell_values import Shown, printed

MOST = 20
OUTSIDE = 10
"""Per cent of the figures that may lie beyond the end of the scale."""
PRINTED = 4
"""Decimals of a fraction that are printed: a tone tells no more than the figure in its cell."""
IN_LEGEND = (0, 5, 10, 15, 20)


@dataclass(frozen=True, kw_only=True)
class Scale:
    """`worst` has the tone 0, `best` the tone 20; for ranks `worst` is the higher number."""

    shown: Shown
    worst: float
    best: float
    presentation: Presentation = PLAIN

    @property
    def diverges(self) -> bool:
        """Whether its middle is a zero that has something on both sides."""
        return self.shown is Shown.BASELINE

    def tone(self, value: float) -> str:
        if isnan(value):
            return ""
        whole = self.best - self.worst
        place = (round(value, PRINTED) - self.worst) / whole if whole else 1.0
        return f"h{round(MOST * min(max(place, 0.0), 1.0))}"

    def legend(self) -> list[tuple[str, str]]:
        """Tones with their figures, from the worst to the best; signs say where more lies beyond the end."""
        return [
            (f"h{tone}", self._beyond(tone) + printed(self.shown, self._at(tone), self.presentation))
            for tone in IN_LEGEND
        ]

    def _at(self, tone: int) -> float:
        value = self.worst + (self.best - self.worst) * tone / MOST
        return round(value) if self.shown is Shown.RANK else value

    def _beyond(self, tone: int) -> str:
        beyond_worst, beyond_best = ("≥ ", "≤ ") if self.best < self.worst else ("≤ ", "≥ ")
        if tone == 0 and self.shown is not Shown.RANK:
            return beyond_worst
        return beyond_best if tone == MOST and self.diverges else ""


def scale_of(values: Floats, shown: Shown, presentation: Presentation = PLAIN) -> Scale | None:
    """None where there is no figure."""
    there = np.round(values[~np.isnan(values)], PRINTED)
    if not len(there):
        return None
    if shown is Shown.BASELINE:
        end = float(np.percentile(np.abs(there), 100 - OUTSIDE)) or 0.01
        worst, best = (end, -end) if presentation.better == "lower" else (-end, end)
        return Scale(shown=shown, worst=worst, best=best, presentation=presentation)
    if shown is Shown.RANK:
        return Scale(shown=shown, worst=float(there.max()), best=1.0)
    if presentation.better == "lower":
        worst, best = float(np.percentile(there, 100 - OUTSIDE)), float(there.min())
    else:
        worst, best = float(np.percentile(there, OUTSIDE)), float(there.max())
    return Scale(shown=shown, worst=worst, best=best, presentation=presentation)
