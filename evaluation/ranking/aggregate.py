"""Macro-averages over test sets, and ranks by them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import fsum
from typing import Literal

Policy = Literal["zero", "exclude"]


def macro_average(f1: Mapping[str, float | None], policy: Policy = "zero") -> float:
    """The mean F1 over test sets; None stands for a missing or invalid file.

    `zero` counts such a file as 0; `exclude` averages over what there is.

    >>> macro_average({"he": 0.5, "kk": None})
    0.25
    >>> macro_average({"he": 0.5, "kk": None}, policy="exclude")
    0.5
    """
    present = [value for value in f1.values() if value is not None]
    divisor = len(f1) if policy == "zero" else len(present)
    return fsum(present) / divisor if divisor else 0.0


def printed(f1: float) -> str:
    """F1 as people see it.

    >>> printed(0.76304)
    '76.30'
    """
    return f"{100 * f1:.2f}"


def in_order(f1: Mapping[str, float]) -> list[str]:
    """The systems from the best to the worst, by unrounded F1, then by name."""
    return sorted(f1, key=lambda name: (-f1[name], name))


def ranks(f1: Mapping[str, float], unnumbered: Collection[str] = ()) -> dict[str, int | None]:
    """The rank of each system, the best first; equal to the printed precision is a shared rank.

    Systems that are `unnumbered` (baselines, where the task wants that) get None and take nobody's number.

    >>> ranks({"Ash": 0.70001, "Oak": 0.70002, "Elm": 0.5, "baseline": 0.6}, unnumbered={"baseline"})
    {'Oak': 1, 'Ash': 1, 'baseline': None, 'Elm': 3}
    """
    found: dict[str, int | None] = {}
    shown, shared, number = "", 1, 0
    for name in in_order(f1):
        if name in unnumbered:
            found[name] = None
            continue
        number += 1
        if printed(f1[name]) != shown:
            shown, shared = printed(f1[name]), number
        found[name] = shared
    return found
