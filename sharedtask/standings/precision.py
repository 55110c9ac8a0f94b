"""Figures with the precision of print: F1 × 100 with two decimals, which is a fraction with four.

An unrounded F1 reveals the integer counts it was made of, and these reveal what is in gold. So documents and
files have printed precision until gold is released (`exact_figures`). Drawings always have it: a position on
a scale would reveal as much as a number, and nobody sees the difference.
"""

from __future__ import annotations

from typing import Any

from evaluation import Presentation
from evaluation.ranking import aggregate

NOTHING = "–"
"""In place of a figure."""
PROBABILITIES = frozenset({"p", "p_holm"})
"""They are shares of replicates, not of gold, and are compared with thresholds: they are not rounded."""


def printed(figure: float | None, presentation: Presentation) -> str:
    return NOTHING if figure is None else presentation.text(figure)


def as_printed(fraction: float) -> float:
    """Also of a difference; NaN stays NaN."""
    return round(float(aggregate.format_f1(fraction)) / 100, 4)


def document_as_printed(value: Any) -> Any:
    """A copy in which every fraction, under any name, is as printed, except for p-values."""
    if isinstance(value, dict):
        return {
            name: each if name in PROBABILITIES else document_as_printed(each) for name, each in value.items()
        }
    if isinstance(value, list):
        return [document_as_printed(each) for each in value]
    return as_printed(value) if isinstance(value, float) else value
