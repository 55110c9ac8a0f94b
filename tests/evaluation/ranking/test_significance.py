"""P-values, Holm's correction and rank ranges."""

import numpy as np
import pytest

from evaluation.ranking.counting import rank_ranges
from evaluation.ranking.significance import (
    holm,
    p_value,
    p_values,
    replicates_for_holm,
    too_few_replicates,
)


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


def test_what_a_table_prints_is_twice_the_smaller_of_both_directions() -> None:
    above, below = np.array([1000, 960, 400, 0, 0]), np.array([0, 40, 400, 0, 1000])
    assert p_values(above, below, 1000, "two-sided").tolist() == [2 / 1001, 82 / 1001, 1.0, 1.0, 2 / 1001]
    assert p_values(above, below, 1000, "one-sided").tolist() == [p_value(n, 1000) for n in above.tolist()]


def test_holm_is_refused_with_a_reason_where_nothing_could_become_significant() -> None:
    """528 pairs of 33 systems, one-sided: 528 / 10,560 is exactly 0.05, and that is not below it."""
    assert "at least 10,560 replicates" in too_few_replicates(528, 1000, "one-sided")
    assert too_few_replicates(528, 10_559, "one-sided")
    assert not too_few_replicates(528, 10_560, "one-sided")
    assert not too_few_replicates(1, 20, "one-sided")
    assert too_few_replicates(1, 19, "one-sided")


def test_a_two_sided_test_needs_twice_as_many_replicates_for_holm() -> None:
    assert "at least 21,120 replicates" in too_few_replicates(528, 1000)
    assert too_few_replicates(528, 21_119)
    assert not too_few_replicates(528, 21_120)
    assert (replicates_for_holm(33), replicates_for_holm(33, "one-sided")) == (21_120, 10_560)


@pytest.mark.parametrize(("counts", "expected"), [((25, 950, 25), [2, 2]), ((26, 948, 26), [1, 3])])
def test_ranges_of_ranks_leave_out_at_most_two_and_a_half_per_cent_at_either_end(
    counts: tuple[int, int, int], expected: list[int]
) -> None:
    """A system between two others, so often first, second and third."""
    between = np.repeat([30, 20, 10], counts)
    values = np.stack([between, np.full(1000, 25), np.full(1000, 15)]).astype(np.int16)
    assert rank_ranges(values, np.array([True, True, True]))[0].tolist() == expected
    assert rank_ranges(values, np.array([True, False, False]))[0].tolist() == [1, 1]
    assert rank_ranges(values[:, :1], np.array([True, True, True])).tolist() == [[1, 1], [2, 2], [3, 3]]
