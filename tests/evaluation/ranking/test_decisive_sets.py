"""Decisive test sets, compared with an exhaustive search over all sets of test sets."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.ranking.aggregate import Policy
from evaluation.ranking.decisive_sets import (
    DecisiveSets,
    Scores,
    difference,
    fewest_decisive_sets,
    single_decisive_sets,
)

# Sixteenths add up without rounding, so that a tie is a tie.
figures = st.integers(0, 16).map(lambda n: n / 16)
scores = st.lists(st.tuples(figures, figures), min_size=1, max_size=6)


def two(values: list[tuple[float, float]]) -> tuple[Scores, Scores]:
    codes = [f"t{n}" for n in range(len(values))]
    ours, theirs = zip(*values, strict=True)
    return dict(zip(codes, ours, strict=True)), dict(zip(codes, theirs, strict=True))


def turned_by(ours: Scores, theirs: Scores, gone: tuple[str, ...]) -> bool:
    left = [code for code in ours if code not in gone]
    return difference(ours, theirs, ours) * difference(ours, theirs, left) <= 0


@given(scores)
def test_no_smaller_set_of_test_sets_is_decisive(values: list[tuple[float, float]]) -> None:
    ours, theirs = two(values)
    result = fewest_decisive_sets(ours, theirs)
    if difference(ours, theirs, ours) == 0:
        assert result is None
        return
    smaller = len(ours) - 1 if result is None else len(result.codes) - 1
    assert not any(
        turned_by(ours, theirs, gone) for size in range(1, smaller + 1) for gone in combinations(ours, size)
    )
    if result is not None:
        assert turned_by(ours, theirs, result.codes)
        left = [code for code in ours if code not in result.codes]
        assert result.difference == difference(ours, theirs, left)


@given(scores)
def test_a_test_set_decides_alone_exactly_when_leaving_it_out_does(values: list[tuple[float, float]]) -> None:
    ours, theirs = two(values)
    decided = difference(ours, theirs, ours) != 0 and len(ours) > 1
    expected = [code for code in ours if decided and turned_by(ours, theirs, (code,))]
    assert single_decisive_sets(ours, theirs) == expected


@pytest.mark.parametrize(
    ("policy", "expected"),
    [("zero", DecisiveSets(("kk",), -0.0625)), ("exclude", DecisiveSets(("hu", "kk"), 0.0625))],
)
def test_a_missing_file_counts_as_the_policy_says(policy: Policy, expected: DecisiveSets) -> None:
    """As 0 it decides against the second system; left out, that one is ahead by hu, and kk helps it."""
    ours = {"he": 0.75, "hu": 0.5, "kk": 0.5}
    theirs = {"he": 0.6875, "hu": 0.6875, "kk": None}
    assert fewest_decisive_sets(ours, theirs, policy) == expected


def test_who_is_level_from_the_start_is_turned_by_nothing() -> None:
    assert fewest_decisive_sets({"he": 0.5, "hu": 0.25}, {"he": 0.25, "hu": 0.5}) is None
    assert single_decisive_sets({"he": 0.5, "hu": 0.25}, {"he": 0.25, "hu": 0.5}) == []
