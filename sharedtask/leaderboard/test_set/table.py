"""The list of test sets: what is known of each, how hard it was, and who delivered nothing valid for it.

In: what is known of the test sets, and the field where there is one. Out: `Listed`, in the order asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from sharedtask.competition.models import TestSet
from sharedtask.leaderboard.test_set.difficulty import Difficulty
from sharedtask.leaderboard.test_set.info import About
from sharedtask.standings.standing_view import StandingView


@dataclass(frozen=True, kw_only=True)
class Listed:
    about: About
    difficulty: Difficulty | None
    not_valid: int
    """Systems of the ranking without a valid file."""

    @property
    def test_set(self) -> TestSet:
        return self.about.test_set

    def figure(self, name: str) -> float:
        """Of its difficulty; what has none comes last, whichever way the list is sorted."""
        return float(getattr(self.difficulty, name)) if self.difficulty else inf


ORDERS: Mapping[str, Callable[[Listed], Any]] = {
    "code": lambda one: one.test_set.code,
    "language": lambda one: (one.test_set.language, one.test_set.code),
    "characters": lambda one: one.about.text.characters if one.about.text else 0,
    "words": lambda one: one.about.statistics.words if one.about.statistics else 0,
    "difficulty": lambda one: one.figure("place"),
    "best": lambda one: one.figure("best"),
}


def listed(
    known: Sequence[About], field: StandingView | None, found: Mapping[str, Difficulty]
) -> list[Listed]:
    return [
        Listed(
            about=one,
            difficulty=found.get(one.test_set.code),
            not_valid=not_valid(field, one.test_set.code),
        )
        for one in known
    ]


def not_valid(field: StandingView | None, code: str) -> int:
    if field is None or code not in field.test_sets:
        return 0
    return int(np.count_nonzero(field.figures.set_status[field.ranked, field.column(code)]))


def in_order(sets: Sequence[Listed], sort: str) -> list[Listed]:
    """By a column, from the highest down with a hyphen before its name; else as the task has them."""
    name = sort.removeprefix("-")
    if name not in ORDERS:
        return list(sets)
    there = [one for one in sets if ORDERS[name](one) != inf]
    others = [one for one in sets if ORDERS[name](one) == inf]
    return sorted(there, key=ORDERS[name], reverse=sort.startswith("-")) + others
