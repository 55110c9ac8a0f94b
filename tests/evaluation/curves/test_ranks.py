"""Ranks, their correlation, and the classes whose ranks differ most."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from evaluation.curves.ranks import most_different, shared_ranks, spearman


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=3, max_size=12))
def test_the_correlation_is_that_of_scipy(pairs: list[tuple[int, int]]) -> None:
    first, second = [float(a) for a, _ in pairs], [float(b) for _, b in pairs]
    rho = spearman(first, second)
    if len(set(first)) == 1 or len(set(second)) == 1:
        assert rho is None
    else:
        assert rho == pytest.approx(spearmanr(first, second).statistic, abs=1e-12)


def test_fewer_than_three_values_have_no_correlation() -> None:
    assert spearman([1.0, 2.0], [1.0, 2.0]) is None


def test_equal_values_share_the_average_of_their_ranks() -> None:
    assert shared_ranks([3.0, 1.0, 3.0, 7.0]).tolist() == [2.5, 1.0, 2.5, 4.0]


def test_classes_of_the_paper_whose_ranks_differ_most_are_marked() -> None:
    """Table 1 of Aufrant et al. (2018), Beam: COMPLEXITY and UAS with 500 sentences."""
    complexity = {"ADP>": -18.8, "DET>": -18.7, "PRON>": -0.6, "AUX>": 0.2, "ADJ>": 1.9, "CCONJ>": 6.3}
    complexity |= {"N<": 7.6, "ADV>": 9.6, "V>": 12.6, "PN>": 23.4, "SCONJ>": 35.0, "N>": 42.0, "PN<": 49.5}
    complexity |= {"V<": 52.5, "ADJ<": 57.7, "AUX<": 68.0, "ADP<": 131.2}
    uas = {"DET>": 91.3, "ADP>": 89.0, "AUX>": 83.9, "PRON>": 82.4, "SCONJ>": 80.2, "ADJ>": 80.0}
    uas |= {"CCONJ>": 77.1, "ADV>": 76.1, "V>": 75.1, "PN>": 69.0, "PN<": 68.4, "N>": 68.2, "N<": 67.9}
    uas |= {"ADJ<": 60.6, "V<": 56.4, "AUX<": 52.8, "ADP<": 48.0}
    assert set(most_different(complexity, uas)) == {"SCONJ>", "N<", "PN<"}


def test_equal_orders_mark_nothing() -> None:
    assert most_different({"a": 1.0, "b": 2.0}, {"a": 90.0, "b": 80.0}) == []
    assert most_different({}, {}) == []
