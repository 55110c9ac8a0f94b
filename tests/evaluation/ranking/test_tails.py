"""Percentiles from a part of the replicates are those of all of them put in order, to the bit."""

from __future__ import annotations

import numpy as np
import pytest

from evaluation.ranking.tails import TAIL, Floats, intervals, percentiles

SOURCE = np.random.default_rng(3)
SHAPES = {
    "like a mean": SOURCE.normal(0.7, 0.01, (9, 1000)),
    "one long row": SOURCE.normal(0.7, 0.01, (1, 20_000)),
    "few replicates": SOURCE.normal(0.7, 0.01, (4, 30)),
    "one replicate": SOURCE.normal(0.7, 0.01, (4, 1)),
    "with many ties": SOURCE.binomial(30, 0.05, (5, 1000)) / 30,
    "always the same": np.full((3, 1000), 0.25),
    "far to one side": SOURCE.exponential(1.0, (5, 2000)),
    # The first replicates suggest bounds beyond which there is nothing else, or all the others.
    "with extreme first replicates": np.sort(SOURCE.normal(0, 1, (3, 2000)), axis=1),
    "with the highest first": -np.sort(-SOURCE.normal(0, 1, (3, 2000)), axis=1),
    "one long row with extreme first replicates": np.sort(SOURCE.normal(0, 1, (1, 3000)), axis=1),
    "without a figure": np.where(SOURCE.random((4, 1000)) < 0.03, 1e300, 0.5),
}


def in_order(values: Floats) -> tuple[Floats, Floats]:
    """By the definition: all replicates in order, linear between two of them."""
    ordered = np.sort(values, axis=1)
    position = TAIL * (values.shape[1] - 1)
    index = int(position)
    following = min(index + 1, values.shape[1] - 1)
    mirrored = ordered[:, ::-1]
    low, high = (
        part[:, index] + (position - index) * (part[:, following] - part[:, index])
        for part in (ordered, mirrored)
    )
    return low, high


@pytest.mark.parametrize("name", SHAPES)
def test_percentiles_are_those_of_all_replicates_in_order(name: str) -> None:
    values = SHAPES[name]
    kept = values.copy()
    for compute in (percentiles, intervals):
        for found, expected in zip(compute(values), in_order(values), strict=True):
            assert found.tobytes() == expected.tobytes()
    assert np.array_equal(values, kept), "the replicates are needed again"


def test_more_rows_than_fit_into_one_block() -> None:
    values = SOURCE.normal(0, 1, (70, 1000))
    assert np.array_equal(np.stack(intervals(values)), np.stack(in_order(values)))
