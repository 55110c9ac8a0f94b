"""Where the points of a team's score history are drawn: better is higher, by the axis of all charts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evaluation.scoring.presentation import PLAIN
from sharedtask.competition.models import Phase
from sharedtask.overview.score_history import HEIGHT, MARGIN, WIDTH, History, history
from sharedtask.submissions.models import Run


def drawn(*figures: float, better: str = "higher") -> History:
    phase = Phase(title="Open phase")
    runs = [(Run(number=number, phase=phase), figure) for number, figure in enumerate(figures, 1)]
    return history("LAS", replace(PLAIN, better=better), runs)  # type: ignore[arg-type]


@pytest.mark.parametrize(("better", "is_higher"), [("higher", True), ("lower", False)])
def test_better_figures_are_drawn_higher(better: str, is_higher: bool) -> None:
    first, second, third = drawn(0.5, 0.7, 0.9, better=better).points
    assert (first.y > second.y > third.y) is is_higher
    assert [first.x, second.x, third.x] == [MARGIN, WIDTH / 2, WIDTH - MARGIN]


def test_the_ends_are_ticks_of_the_axis_and_equal_figures_are_level() -> None:
    assert [point.y for point in drawn(0.5, 0.8).points] == [HEIGHT - MARGIN, MARGIN]
    first, second = drawn(0.62, 0.62).points
    assert first.y == second.y
    assert MARGIN <= first.y <= HEIGHT - MARGIN
    assert drawn(0.62, 0.62).low == "62.00"
