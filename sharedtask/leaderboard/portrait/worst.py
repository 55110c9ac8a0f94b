"""Where to look for an error: of each group of words, the test set in which most of them are wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evaluation.scoring.breakdown import Breakdowns

METRIC = "LAS"
"""What makes a word right in breakdowns: its head and its relation."""


@dataclass(frozen=True, kw_only=True)
class Worst:
    code: str
    wrong: int
    """Gold words of the group without the right head and relation."""


def worst_by_relation(found: Mapping[str, Breakdowns]) -> dict[str, Worst]:
    """By relation; one that is right everywhere is not in it."""
    worst: dict[str, Worst] = {}
    for code, breakdowns in found.items():
        for group in breakdowns.relation.groups:
            wrong = group.gold - group.correct[METRIC].by_gold
            if wrong > 0 and (group.label not in worst or worst[group.label].wrong < wrong):
                worst[group.label] = Worst(code=code, wrong=wrong)
    return worst
