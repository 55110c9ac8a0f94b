"""From a figure to one of 21 tones, the CSS classes `h0` to `h20`.

In: all figures of the matrix. Out: a `ColourScale`, which gives the tone of each figure and the legend. One
failed output would leave all others in one tone, so the scale ends where the worst tenth begins.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import isnan

import numpy as np

from evaluation import Presentation
from evaluation.ranking.tails import Floats
from evaluation.scoring.presentation import PLAIN
from evaluation.showing.axis import Axis
from sharedtask.leaderboard.matrix.cell_values import CellKind, cell_text

MAX_TONE = 20
TONES = tuple(f"h{tone}" for tone in range(MAX_TONE + 1))
OUTSIDE = 10
"""Per cent of the figures that may lie beyond the end of the scale."""
LEGEND_TONES = (0, 5, 10, 15, 20)


@dataclass(frozen=True, kw_only=True)
class ColourScale:
    """`worst` has tone 0, `best` has tone 20; for ranks `worst` is the higher number."""

    kind: CellKind
    worst: float
    best: float
    presentation: Presentation = PLAIN

    @property
    def diverges(self) -> bool:
        """Whether its middle is a zero with figures on both sides."""
        return self.kind is CellKind.BASELINE

    def tone(self, value: float) -> str:
        if isnan(value):
            return ""
        if self.worst == self.best:
            return TONES[MAX_TONE]
        # A tone must not reveal more than the figure in its cell.
        return TONES[round(MAX_TONE * self._axis.position(round(value, self.presentation.decimals)))]

    @cached_property
    def _axis(self) -> Axis:
        return Axis(low=self.worst, high=self.best)

    def legend(self) -> list[tuple[str, str]]:
        """Tones with their figures, from worst to best; signs mark an end that some figures lie beyond."""
        return [
            (f"h{tone}", self._sign(tone) + cell_text(self.kind, self._value(tone), self.presentation))
            for tone in LEGEND_TONES
        ]

    def _value(self, tone: int) -> float:
        value = self.worst + (self.best - self.worst) * tone / MAX_TONE
        return round(value) if self.kind is CellKind.RANK else value

    def _sign(self, tone: int) -> str:
        beyond_worst, beyond_best = ("≥ ", "≤ ") if self.best < self.worst else ("≤ ", "≥ ")
        if tone == 0 and self.kind is not CellKind.RANK:
            return beyond_worst
        return beyond_best if tone == MAX_TONE and self.diverges else ""


def colour_scale(values: Floats, kind: CellKind, presentation: Presentation = PLAIN) -> ColourScale | None:
    """None without any figure."""
    known = np.round(values[~np.isnan(values)], presentation.decimals)
    if not len(known):
        return None
    if kind is CellKind.BASELINE:
        end = float(np.percentile(np.abs(known), 100 - OUTSIDE)) or 0.01
        worst, best = (end, -end) if presentation.better == "lower" else (-end, end)
        return ColourScale(kind=kind, worst=worst, best=best, presentation=presentation)
    if kind is CellKind.RANK:
        return ColourScale(kind=kind, worst=float(known.max()), best=1.0)
    if presentation.better == "lower":
        worst, best = float(np.percentile(known, 100 - OUTSIDE)), float(known.min())
    else:
        worst, best = float(np.percentile(known, OUTSIDE)), float(known.max())
    return ColourScale(kind=kind, worst=worst, best=best, presentation=presentation)
