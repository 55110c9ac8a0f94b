"""Correlations of metrics with people, checked against scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st
from scipy import stats

from evaluation.judgements.correlation import (
    agreement_with_people,
    fisher_z_p,
    rank_correlation,
    resample_spearman,
    spearman,
)
from evaluation.judgements.table import MISSING

SIGNS = st.lists(st.tuples(st.integers(-1, 1), st.integers(-1, 1)), min_size=2, max_size=60)


@for_all(SIGNS)
def test_spearman_of_signs_agrees_with_scipy(pairs: list[tuple[int, int]]) -> None:
    left, right = np.array(pairs, dtype=np.int8).T
    measured = spearman(left, right)
    if len(set(left)) == 1 or len(set(right)) == 1:
        assert measured is None
    else:
        assert measured == pytest.approx(stats.spearmanr(left, right).statistic, abs=1e-9)


@for_all(SIGNS, st.integers(0, 1000))
def test_a_replicate_is_the_correlation_of_the_drawn_items(pairs: list[tuple[int, int]], seed: int) -> None:
    left, right = np.array(pairs, dtype=np.int8).T
    drawn = np.random.default_rng(seed).integers(len(left), size=len(left))
    weights = np.bincount(drawn, minlength=len(left))[None, :].astype(float)
    expected = spearman(left[drawn], right[drawn])
    measured = resample_spearman(left, right, weights)[0]
    assert measured == pytest.approx(math.nan if expected is None else expected, nan_ok=True, abs=1e-12)


@for_all(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=40))
def test_rank_correlation_agrees_with_scipy(pairs: list[tuple[int, int]]) -> None:
    left, right = np.array(pairs, dtype=float).T
    measured = rank_correlation(left, right)
    if len(set(left)) == 1 or len(set(right)) == 1:
        assert measured is None
    else:
        assert measured == pytest.approx(stats.spearmanr(left, right).statistic, abs=1e-9)


def test_agreement_is_the_mean_over_annotators_and_ties_count_half() -> None:
    labels = np.array([[0, 0], [1, MISSING], [1, MISSING], [0, 1]], dtype=np.int8)
    metric = np.array([-1, 1, -1, 0], dtype=np.int8)
    # The first annotator: right, right, wrong, half; the second: right, half.
    assert agreement_with_people(labels, metric) == pytest.approx((2.5 / 4 + 1.5 / 2) / 2)


@pytest.mark.parametrize("labels", ([[0], [1], [2]], [[2], [2], [2]]))
def test_a_metric_without_a_choice_agrees_in_half_of_the_cases_whatever_people_say(
    labels: list[list[int]],
) -> None:
    metric = np.zeros(3, dtype=np.int8)
    assert agreement_with_people(np.array(labels, dtype=np.int8), metric) == 0.5


def test_a_judgement_that_both_are_equal_counts_half() -> None:
    labels = np.array([[2], [1], [0]], dtype=np.int8)
    assert agreement_with_people(labels, np.array([1, 1, 1], dtype=np.int8)) == pytest.approx(1.5 / 3)


def test_fisher_z_of_equal_correlations_is_one_and_falls_with_the_difference() -> None:
    assert fisher_z_p(0.5, 0.5, 100) == pytest.approx(1)
    # z = (0.6184 - 0.2237) / sqrt(2 / 197)
    assert fisher_z_p(0.55, 0.22, 200) == pytest.approx(2 * stats.norm.sf(3.9173), rel=1e-3)
    assert fisher_z_p(0.5, 0.4, 3) is None
    assert fisher_z_p(1.0, 0.4, 50) is None
