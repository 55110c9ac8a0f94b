"""The number of sentences that a score is worth."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.curves.analysis import PlacedScore, PlacedSystem
from evaluation.curves.placement import place
from evaluation.curves.tables import summary

SIZES = (5, 10, 20, 50)


@pytest.mark.parametrize(
    ("uas", "curve", "sentences", "is_monotone"),
    [
        (50.0, (40, 50, 60, 70), 10.0, True),
        (40.0, (40, 50, 60, 70), 5.0, True),
        (70.0, (40, 50, 60, 70), 50.0, True),
        (55.0, (40, 50, 60, 70), math.sqrt(10 * 20), True),
        (39.9, (40, 50, 60, 70), "<5", True),
        (70.1, (40, 50, 60, 70), ">50", True),
        # The first crossing counts where a curve falls and rises again.
        (45.0, (40, 50, 42, 70), math.sqrt(5 * 10), False),
        # A score above the last value that an earlier one reaches.
        (65.0, (40, 70, 60, 60), math.exp(math.log(5) + 25 / 30 * math.log(2)), False),
        # The curve falls below a score that is below its first value.
        (35.0, (40, 30, 60, 70), "<5", False),
        # It falls just before the score is reached, and just after.
        (55.0, (40, 38, 60, 70), math.exp(math.log(10) + 17 / 22 * math.log(2)), False),
        (55.0, (40, 60, 58, 70), math.exp(math.log(5) + 15 / 20 * math.log(2)), False),
        # A fall far away does not matter.
        (41.0, (40, 50, 60, 58), math.exp(math.log(5) + 0.1 * math.log(2)), True),
        # Rounding does not place a score below the smallest size.
        (1e-45, (0, 1, 2, 3), 5.0, True),
        # A level stretch is reached where it begins.
        (50.0, (40, 50, 50, 70), 10.0, True),
    ],
)
def test_a_score_is_placed_where_the_curve_first_reaches_it(
    uas: float, curve: tuple[float, ...], sentences: float | str, is_monotone: bool
) -> None:
    placement = place(uas, SIZES, curve)
    bounded = placement.bounded(SIZES)
    assert bounded == (sentences if isinstance(sentences, str) else pytest.approx(sentences, rel=1e-12))
    assert placement.is_monotone is is_monotone


@given(st.lists(st.floats(0, 100), min_size=4, max_size=4), st.floats(0, 100))
def test_the_curve_has_the_score_at_the_size_of_its_placement(curve: list[float], uas: float) -> None:
    placement = place(uas, SIZES, curve)
    bounded = placement.bounded(SIZES)
    if bounded == "<5":
        assert uas < curve[0]
    elif bounded == ">50":
        assert uas > max(curve)
    else:
        assert isinstance(bounded, float)
        assert 5 <= bounded <= 50.0000001
        after = next(n for n, size in enumerate(SIZES) if size >= bounded * (1 - 1e-9))
        assert min(curve[max(after - 1, 0) : after + 1]) - 1e-6 <= uas
        assert max(curve[max(after - 1, 0) : after + 1]) + 1e-6 >= uas


@pytest.mark.parametrize(
    ("scores", "sentence"),
    [
        ((55.0, 41.0, 71.0), "55.0 UAS: what Beam reaches with 14 sentences (simple 5, complex >50)"),
        ((39.0, 80.0, None), "39.0 UAS: what Beam reaches with fewer than 5 sentences (simple >50)"),
        ((70.1, None, None), "70.1 UAS: what Beam would need more than 50 sentences for"),
        (
            (55.0, 41.0, 25.0),
            "55.0 UAS: what Beam reaches with 14 sentences (simple 5, complex 10?); "
            "?: the curve is not monotone there",
        ),
    ],
)
def test_one_line_says_what_a_system_is_worth(scores: tuple[float | None, ...], sentence: str) -> None:
    curves = {"overall": (40, 50, 60, 70), "simple": (40, 50, 60, 70), "complex": (20, 25, 24, 70)}
    parts = {
        part: None
        if score is None
        else PlacedScore(placement=place(score, SIZES, curve), uas_interval=None, sentences_interval=None)
        for score, (part, curve) in zip(scores, curves.items(), strict=True)
    }
    system = PlacedSystem(parts=parts, treebanks=("en",))
    assert summary("xling", system, "Beam", SIZES) == sentence
