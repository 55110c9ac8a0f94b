"""Figures with the precision of print: F1 × 100 with two decimals, which is a fraction with four.

An unrounded F1 tells the integer counts it was made of, and these tell what gold has. So documents and files
have printed precision until gold is released (`exact_figures`), and drawings have it always: a
place on a scale would tell as much as a number, and nobody sees the difference.
"""

from __future__ import annotations

from typing import Any

from evaluation.ranking import aggregate

PROBABILITIES = frozenset({"p", "p_holm"})
"""They are shares of replicates, not of gold, and are compared with thresholds: they stay as they are."""


def as_printed(fraction: float) -> float:
    """Also of a difference; NaN stays NaN."""
    return round(float(aggregate.format_f1(fraction)) / 100, 4)


def document_as_printed(told: Any) -> Any:
    """A copy in which every fraction is as printed, whatever it is called, except for p-values."""
    if isinstance(told, dict):
        return {
            name: value if name in PROBABILITIES else document_as_printed(value)
            for name, value in told.items()
        }
    if isinstance(told, list):
        return [document_as_printed(value) for value in told]
    return as_printed(told) if isinstance(told, float) else told
