"""Figures with the precision of print, which is the precision of their metric: its factor and its digits.

An unrounded figure reveals the integer counts it was made of, and these reveal what is in gold. So documents
and files have printed precision until gold is released (`exact_figures`). Drawings always have it: a position
on a scale would reveal as much as a number, and nobody sees the difference.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan
from typing import Any

from evaluation import Presentation
from evaluation.scoring.presentation import PLAIN

NOTHING = "–"
"""In place of a figure."""
PROBABILITIES = frozenset({"p", "p_holm"})
"""They are shares of replicates, not of gold, and are compared with thresholds: they are not rounded."""
AGREEMENT = "agreement"
"""Of a document: correlations of rankings. They belong to no metric, although they are listed by metric."""


def printed(figure: float | None, presentation: Presentation) -> str:
    return NOTHING if figure is None else presentation.text(figure)


def as_printed(figure: float, presentation: Presentation = PLAIN) -> float:
    """Rounded as it is printed, but not multiplied. Also of a difference; NaN stays NaN."""
    if isnan(figure):
        return figure
    return round(float(presentation.text(figure)) / presentation.factor, presentation.decimals)


def document_as_printed(
    value: Any, presentations: Mapping[str, Presentation], presentation: Presentation = PLAIN
) -> Any:
    """A copy in which every figure, under any name, is as its metric is printed, except for p-values.

    The metric is the nearest key above the figure that is the name of one, or the value of a key `metric`.
    """
    if isinstance(value, dict):
        presentation = presentations.get(value.get("metric", ""), presentation)
        return {
            name: each
            if name in PROBABILITIES
            else document_as_printed(each, {}, PLAIN)
            if name == AGREEMENT
            else document_as_printed(each, presentations, presentations.get(name, presentation))
            for name, each in value.items()
        }
    if isinstance(value, list):
        return [document_as_printed(each, presentations, presentation) for each in value]
    return as_printed(value, presentation) if isinstance(value, float) else value
