"""Macro-averages over test sets."""

from __future__ import annotations

from collections.abc import Mapping
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
