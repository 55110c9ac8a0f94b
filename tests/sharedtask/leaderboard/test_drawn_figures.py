"""Figures as they are printed and drawn on the pages of systems; no database."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evaluation.scoring.groups import Confusion
from sharedtask.leaderboard.comparison.plots import difference_plot, difference_ticks
from sharedtask.leaderboard.system.confusions import confusion_map
from sharedtask.leaderboard.system.sorting import sort_heading
from sharedtask.leaderboard.system.strips import score_axis, score_ticks
from sharedtask.leaderboard.templatetags import printing
from sharedtask.standings.precision import as_printed

fractions = st.floats(0, 1, allow_nan=False)
differences = st.floats(-1, 1, allow_nan=False)


@pytest.mark.parametrize(
    ("difference", "text", "tone"),
    [
        (0.0042, "+0.42", "above"),
        (-0.0042, "−0.42", "below"),
        (0.00004, "0.00", ""),
        (-0.00004, "0.00", ""),
        (None, "–", ""),
    ],
)
def test_a_difference_has_a_sign_and_a_colour_unless_it_prints_as_zero(
    difference: float | None, text: str, tone: str
) -> None:
    assert (printing.signed(difference), printing.tone(difference)) == (text, tone)


@pytest.mark.parametrize(("p", "text"), [(0.0009, "< 0.001"), (0.001, "0.001"), (1.0, "1.000"), (None, "–")])
def test_p_has_three_decimals(p: float | None, text: str) -> None:
    assert printing.p(p) == text


def test_ranges_and_counts_are_printed_as_people_write_them() -> None:
    assert [printing.from_to(ends) for ends in ((2, 4), (3, 3), None)] == ["2–4", "3", ""]
    assert [printing.with_sign(count) for count in (1200, -3, 0)] == ["+1,200", "−3", "0"]


@given(st.lists(fractions, min_size=1))
@example([0.99999])
def test_a_scale_holds_all_printed_values_between_full_tens(values: list[float]) -> None:
    scale = score_axis(values)
    assert scale.low - 1e-6 <= as_printed(min(values))
    assert as_printed(max(values)) <= scale.high + 1e-6
    assert all(abs(10 * end - round(10 * end)) < 1e-6 for end in (scale.low, scale.high))
    places = [tick.at for tick in score_ticks(scale)]
    assert places == sorted(places)
    assert places[0] == 0
    assert 2 <= len(places) <= 6


def test_a_value_on_a_mark_does_not_widen_the_scale() -> None:
    scale = score_axis([0.1 + 0.2, 0.6])
    assert (round(scale.low, 6), round(scale.high, 6)) == (0.3, 0.6)


def line(difference: float | None, half: float = 0.01) -> Any:
    low, high = (None, None) if difference is None else (difference - half, difference + half)
    return SimpleNamespace(difference=difference, low=low, high=high)


@given(st.lists(differences, min_size=1))
def test_differences_are_drawn_on_their_side_of_zero(values: list[float]) -> None:
    axis, result = difference_plot([line(value) for value in values])
    assert axis.percent(0.0) == 50
    for value, item in zip(values, result, strict=True):
        assert item.at is not None
        assert (item.at - 50) * value >= 0
        assert 0 <= item.at <= 100
        assert item.low is not None
        assert item.high is not None
        assert item.low <= item.at <= item.high


def test_one_wide_interval_does_not_squeeze_all_differences() -> None:
    _, result = difference_plot([line(0.02), line(0.015), line(-0.01), line(0.01, half=0.9)])
    assert result[0].at is not None
    assert result[0].at >= 70
    assert (result[3].low, result[3].high) == (0, 100)


def test_the_intervals_of_two_that_hardly_differ_fit_on_the_scale() -> None:
    _, result = difference_plot([line(0.0001), line(-0.0002), line(0.0)])
    ends = [end for item in result for end in (item.low, item.high)]
    assert all(end is not None and 0 < end < 100 for end in ends)


def test_a_missing_difference_is_not_drawn() -> None:
    axis, (result,) = difference_plot([line(None)])
    assert (result.at, result.low, result.high) == (None, None, None)
    assert difference_ticks(axis)[0].label.startswith("−")


def test_confusions_are_counted_by_gold_in_the_row_and_shaded_by_frequency() -> None:
    counts = {("nmod", "obl"): 40, ("obl", "nmod"): 10, ("nmod", "nmod"): 160, ("det", "det"): 99}
    result = confusion_map(Confusion(counts))
    assert result is not None
    assert result.labels == ("nmod", "obl"), "what is never mistaken is left out"
    assert [[cell.count for cell in row.cells] for row in result.rows] == [[160, 40], [10, 0]]
    assert [[cell.shade for cell in row.cells] for row in result.rows] == [[None, 6], [3, None]]
    first = result.mistakes[0]
    assert (first.gold, first.system, first.count, first.share) == ("nmod", "obl", 40, 0.2)
    assert confusion_map(Confusion({("det", "det"): 99})) is None


@pytest.mark.parametrize(
    ("name", "sort", "asked", "order"),
    [
        ("LAS", "", "-LAS", ""),
        ("LAS", "-LAS", "LAS", "descending"),
        ("LAS", "LAS", "-LAS", "ascending"),
        ("rank", "", "rank", ""),
        ("rank", "rank", "-rank", "ascending"),
    ],
)
def test_a_second_click_on_a_sort_heading_reverses_the_order(
    name: str, sort: str, asked: str, order: str
) -> None:
    result = sort_heading(name, name, sort)
    assert (result.next_sort, result.order) == (asked, order)
