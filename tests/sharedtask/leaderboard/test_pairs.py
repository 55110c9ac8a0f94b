"""Wins, ties and losses of two systems on test sets."""

from __future__ import annotations

import pytest

from evaluation import Presentation
from sharedtask.leaderboard.comparison.pairs import wins_ties_losses

BITS = Presentation(explanation="", kind="bits", factor=1, better="lower")
SHARE = Presentation(explanation="")


@pytest.mark.parametrize(("presentation", "expected"), [(SHARE, (1, 1, 2)), (BITS, (1, 1, 2))])
def test_an_output_without_a_score_wins_nowhere(
    presentation: Presentation, expected: tuple[int, int, int]
) -> None:
    """Also where lower is better, and 0 would be the best figure."""
    good, bad = (0.9, 0.1) if presentation.better == "higher" else (0.1, 0.9)
    first = {"a": good, "b": None, "c": None, "d": bad}
    second = {"a": bad, "b": bad, "c": None, "d": good}
    assert wins_ties_losses(first, second, presentation) == expected
