"""The table of test sets: what is known about each, how hard it is, and how many outputs are not valid.

In: what is known about the test sets, and the view if there is one. Out: `TestSetRow`s, in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from sharedtask.competition.models import TestSet
from sharedtask.leaderboard.test_set.difficulty import Difficulty
from sharedtask.leaderboard.test_set.info import TestSetInfo
from sharedtask.standings.standing_view import StandingView


@dataclass(frozen=True, kw_only=True)
class TestSetRow:
    info: TestSetInfo
    difficulty: Difficulty | None
    not_valid: int
    """Systems of the ranking without a valid output."""

    @property
    def test_set(self) -> TestSet:
        return self.info.test_set

    def difficulty_figure(self, name: str) -> float:
        """Infinite without a difficulty: such a row comes last in either direction."""
        return float(getattr(self.difficulty, name)) if self.difficulty else inf


SORT_KEYS: Mapping[str, Callable[[TestSetRow], Any]] = {
    "code": lambda row: row.test_set.code,
    "language": lambda row: (row.test_set.language, row.test_set.code),
    "characters": lambda row: row.info.text.characters if row.info.text else 0,
    "words": lambda row: row.info.statistics.words if row.info.statistics else 0,
    "difficulty": lambda row: row.difficulty_figure("place"),
    "best": lambda row: row.difficulty_figure("best"),
}


def test_set_rows(
    infos: Sequence[TestSetInfo], view: StandingView | None, difficulties: Mapping[str, Difficulty]
) -> list[TestSetRow]:
    return [
        TestSetRow(
            info=info,
            difficulty=difficulties.get(info.test_set.code),
            not_valid=count_not_valid(view, info.test_set.code),
        )
        for info in infos
    ]


def count_not_valid(view: StandingView | None, code: str) -> int:
    if view is None or code not in view.test_sets:
        return 0
    return int(np.count_nonzero(view.figures.set_status[view.ranked, view.set_index(code)]))


def sort_rows(rows: Sequence[TestSetRow], sort: str) -> list[TestSetRow]:
    """By a column, descending with a hyphen before its name; the task's order for an unknown column."""
    key = SORT_KEYS.get(sort.removeprefix("-"))
    if key is None:
        return list(rows)
    known = [row for row in rows if key(row) != inf]
    unknown = [row for row in rows if key(row) == inf]
    return sorted(known, key=key, reverse=sort.startswith("-")) + unknown
