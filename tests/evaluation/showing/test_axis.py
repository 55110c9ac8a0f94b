"""Positions and ticks of drawings; no database."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from evaluation.showing.axis import Axis, axis_with_ticks, axis_without_outliers

values = st.floats(-100, 100, allow_nan=False)
STEPS = (0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20)


def test_positions_are_shares_of_the_axis_and_end_at_its_edges() -> None:
    axis = Axis(low=20, high=60)
    assert [axis.percent(value) for value in (0, 20, 30, 60, 80)] == [0, 0, 25, 100, 100]
    assert [axis.clamp(value) for value in (0, 30, 80)] == [20, 30, 60]
    assert axis.span(30, 50) == (25, 50)
    assert axis.span(0, 30) == (0, 25), "a bar is cut off at the edge"


def test_an_axis_can_descend() -> None:
    axis = Axis(low=10, high=0)
    assert [axis.position(value) for value in (12, 10, 2.5, 0, -1)] == [0, 0, 0.75, 1, 1]


@given(values, values)
def test_ticks_surround_the_values_and_are_few(first: float, second: float) -> None:
    low, high = min(first, second), max(first, second)
    assume(high - low <= 7 * STEPS[-1])
    axis = axis_with_ticks(low, high, steps=STEPS, max_steps=7)
    assert axis.low <= low + 1e-6 and high <= axis.high + 1e-6 and axis.low < axis.high
    ticks = axis.ticks(lambda value: f"{value:g}")
    assert 2 <= len(ticks) <= 9
    assert (ticks[0].at, ticks[-1].at) == (0, 100)


def test_a_value_on_a_tick_needs_no_further_one() -> None:
    axis = axis_with_ticks(0.1 + 0.2, 0.6, steps=[0.1])
    assert [tick.label for tick in axis.ticks(lambda value: f"{value:.1f}")] == ["0.3", "0.4", "0.5", "0.6"]


def test_equal_values_still_have_an_axis() -> None:
    axis = axis_with_ticks(50, 50, steps=STEPS, max_steps=7)
    assert axis.low < axis.high and axis.low <= 50 <= axis.high


def test_ticks_are_thinned_out() -> None:
    axis = Axis(low=0, high=1, step=0.1)
    assert [tick.label for tick in axis.ticks(lambda value: f"{value:.1f}", max_ticks=6)] == [
        "0.0",
        "0.2",
        "0.4",
        "0.6",
        "0.8",
        "1.0",
    ]


def test_outliers_do_not_squeeze_the_others() -> None:
    axis = axis_without_outliers([1.0, *range(70, 80)])
    assert 65 < axis.low < 70 and 79 < axis.high < 85
    assert axis.percent(1.0) == 0
    everyone = axis_without_outliers([80.0] * 5)
    assert everyone.low < 80 < everyone.high
