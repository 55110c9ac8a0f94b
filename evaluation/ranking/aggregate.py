"""Macro-averages over test sets, and ranks by them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import fsum, nan

import numpy as np

from ..reading.fields import Ints
from ..scoring.presentation import PLAIN, Presentation
from ..scoring.profile import Policy as Policy


def macro_average(
    f1: Mapping[str, float | None], policy: Policy = "zero", presentation: Presentation = PLAIN
) -> float:
    """The mean figure over test sets; None means a missing or invalid file.

    `zero` counts such a file as 0; `exclude` averages over the valid files. Where a lower figure is better,
    0 would be a reward, so that such a file is excluded under both; over no files there is no average.

    >>> macro_average({"he": 0.5, "kk": None})
    0.25
    >>> macro_average({"he": 0.5, "kk": None}, policy="exclude")
    0.5
    """
    return mean_of([value for value in f1.values() if value is not None], len(f1), policy, presentation)


def mean_of(present: Sequence[float], files: int, policy: Policy, presentation: Presentation) -> float:
    """The macro-average of the figures of valid files, of so many files."""
    if policy == "exclude" or presentation.better == "lower":
        return fsum(present) / len(present) if present else nan
    return fsum(present) / files if files else 0.0


def format_f1(f1: float) -> str:
    """F1 as it is printed, in percent.

    >>> format_f1(0.76304)
    '76.30'
    """
    return PLAIN.text(f1)


def sort_by_figure(figures: Mapping[str, float], presentation: Presentation = PLAIN) -> list[str]:
    """The systems from the best to the worst, by unrounded figures, then by name."""
    return sorted(figures, key=lambda name: (presentation.sort_key(figures[name]), name))


def order_by_figure(figures: Mapping[str, float], presentation: Presentation = PLAIN) -> Ints:
    """The same as places of systems that come sorted by name.

    >>> order_by_figure({"Ash": 0.5, "Elm": 0.75, "Oak": 0.5}).tolist()
    [1, 0, 2]
    """
    keys = np.array(list(figures.values())) * -presentation.sign
    # Those without a figure come last, also in numpy.
    return np.argsort(keys, kind="stable")


def ranks(
    figures: Mapping[str, float], unnumbered: Collection[str] = (), presentation: Presentation = PLAIN
) -> dict[str, int | None]:
    """The rank of each system, best first; systems with the same printed figure share a rank.

    Systems that are `unnumbered` (baselines, if the task says so) get None and do not affect other ranks.

    >>> ranks({"Ash": 0.70001, "Oak": 0.70002, "Elm": 0.5, "baseline": 0.6}, unnumbered={"baseline"})
    {'Oak': 1, 'Ash': 1, 'baseline': None, 'Elm': 3}
    """
    result: dict[str, int | None] = {}
    previous, shared, number = "", 1, 0
    for name in sort_by_figure(figures, presentation):
        if name in unnumbered:
            result[name] = None
            continue
        number += 1
        if presentation.text(figures[name]) != previous:
            previous, shared = presentation.text(figures[name]), number
        result[name] = shared
    return result
