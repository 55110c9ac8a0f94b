"""Wins, ties and losses of two systems on test sets, and the test sets that are not compared."""

from __future__ import annotations

import pytest

from evaluation import Presentation
from evaluation.ranking.aggregate import Policy
from evaluation.ranking.analyses import Record, record_of

BITS = Presentation(explanation="", kind="bits", factor=1, better="lower")
SHARE = Presentation(explanation="")
EXCLUDED = Record(1, 0, 1, ("b", "c"))


@pytest.mark.parametrize(
    ("presentation", "policy", "expected"),
    [
        (SHARE, "zero", Record(1, 1, 2)),
        (SHARE, "exclude", EXCLUDED),
        (BITS, "zero", EXCLUDED),
        (BITS, "exclude", EXCLUDED),
    ],
)
def test_an_output_without_a_score_wins_nowhere(
    presentation: Presentation, policy: Policy, expected: Record
) -> None:
    """Also where lower is better, and 0 would be the best figure; it loses only where it counts as 0."""
    good, bad = (0.9, 0.1) if presentation.better == "higher" else (0.1, 0.9)
    first = {"a": good, "b": None, "c": None, "d": bad}
    second = {"a": bad, "b": bad, "c": None, "d": good}
    assert record_of(first, second, presentation, policy) == expected
