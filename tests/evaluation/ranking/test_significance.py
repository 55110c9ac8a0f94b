"""P-values, Holm's correction and rank ranges."""

import numpy as np
import pytest

from evaluation.ranking.significance import holm, p_value, rank_range, too_few_replicates


def test_replicates_where_a_is_not_above_b_count_against_a() -> None:
    assert p_value(above=1000, replicates=1000) == 1 / 1001
    assert p_value(above=950, replicates=1000) == 51 / 1001
    assert p_value(above=0, replicates=1000) == 1.0


def test_holm_multiplies_by_what_is_left_and_never_decreases() -> None:
    """0.01 · 4, 0.02 · 3, 0.025 · 2 raised to what came before, 0.9."""
    assert holm([0.9, 0.01, 0.025, 0.02]) == pytest.approx([0.9, 0.04, 0.06, 0.06])
    assert holm([0.6, 0.7]) == [1.0, 1.0]
    assert holm([]) == []


def test_holm_is_the_obvious_definition() -> None:
    source = np.random.default_rng(1)
    for size in (1, 2, 7, 30):
        p = source.random(size).round(2).tolist()
        ordered = sorted(p)
        steps = [min(1, (size - step) * value) for step, value in enumerate(ordered)]
        for value, adjusted in zip(p, holm(p), strict=True):
            last = max(step for step, other in enumerate(ordered) if other == value)
            first = ordered.index(value)
            assert max(steps[: first + 1]) - 1e-12 <= adjusted <= max(steps[: last + 1]) + 1e-12


def test_holm_is_refused_with_a_reason_where_nothing_could_become_significant() -> None:
    """528 pairs of 33 systems: 528 / 10,560 is exactly 0.05, and that is not below it."""
    assert "at least 10,560 replicates" in too_few_replicates(528, 1000)
    assert too_few_replicates(528, 10_559)
    assert not too_few_replicates(528, 10_560)
    assert not too_few_replicates(1, 20)
    assert too_few_replicates(1, 19)


def test_ranges_of_ranks_leave_out_at_most_two_and_a_half_per_cent_at_either_end() -> None:
    assert rank_range(np.array([25, 950, 25])) == (2, 2)
    assert rank_range(np.array([26, 948, 26])) == (1, 3)
    assert rank_range(np.array([0, 0, 1000, 0])) == (3, 3)
    assert rank_range(np.array([1])) == (1, 1)
