"""Agreement between annotators, checked against nltk and krippendorff."""

from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st
from nltk.metrics.agreement import AnnotationTask
from numpy.typing import NDArray

from evaluation.judgements.agreement import measure, resample
from evaluation.judgements.table import MISSING

Table = NDArray[np.int8]


def draw_table(seed: int, *, items: int, annotators: int, choices: int, missing: float) -> Table:
    random = np.random.default_rng(seed)
    truth = random.integers(choices, size=items)
    noise = random.integers(choices, size=(items, annotators))
    copied = random.random((items, annotators)) < 0.6
    table = np.where(copied, truth[:, None], noise).astype(np.int8)
    table[random.random((items, annotators)) < missing] = MISSING
    return table


def as_task(table: Table) -> AnnotationTask:
    return AnnotationTask(
        [(f"a{a}", f"i{i}", str(c)) for i, row in enumerate(table) for a, c in enumerate(row)]
    )


@pytest.mark.parametrize("seed", range(6))
def test_complete_tables_agree_with_nltk(seed: int) -> None:
    table = draw_table(seed, items=40, annotators=2 + seed % 3, choices=2 + seed % 2, missing=0)
    task = as_task(table)
    measured = measure(table, int(table.max()) + 1)
    assert measured.raw == pytest.approx(task.avg_Ao(), abs=1e-12)
    assert measured.cohen == pytest.approx(task.kappa(), abs=1e-12)
    assert measured.krippendorff == pytest.approx(task.alpha(), abs=1e-12)


def slow_fleiss(table: Table, choices: int) -> float:
    items, annotators = table.shape
    observed = 0.0
    totals = [0] * choices
    for row in table:
        counts = [int((row == choice).sum()) for choice in range(choices)]
        observed += sum(count * (count - 1) for count in counts) / (annotators * (annotators - 1))
        totals = [total + count for total, count in zip(totals, counts, strict=True)]
    expected = sum((total / (items * annotators)) ** 2 for total in totals)
    return (observed / items - expected) / (1 - expected)


@pytest.mark.parametrize("seed", range(4))
def test_fleiss_agrees_with_its_definition(seed: int) -> None:
    table = draw_table(seed, items=30, annotators=4, choices=3, missing=0)
    assert measure(table, 3).fleiss == pytest.approx(slow_fleiss(table, 3), abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_alpha_with_missing_judgements_agrees_with_the_package_krippendorff(seed: int) -> None:
    table = draw_table(seed, items=50, annotators=5, choices=3, missing=0.4)
    reliability = np.where(table == MISSING, np.nan, table).T
    expected = krippendorff.alpha(reliability_data=reliability, level_of_measurement="nominal")
    measured = measure(table, 3)
    assert measured.krippendorff == pytest.approx(expected, abs=1e-12)
    assert measured.fleiss is None


def test_pairs_of_annotators_are_compared_on_their_common_items() -> None:
    table = np.array([[0, 0, MISSING], [1, 1, MISSING], [0, MISSING, 1], [1, MISSING, 1]], dtype=np.int8)
    measured = measure(table, 2)
    assert measured.raw == pytest.approx((1 + 0.5) / 2)
    assert measured.cohen == pytest.approx((1 + 0) / 2)


@pytest.mark.parametrize("table", [np.zeros((3, 2)), np.zeros((3, 1)), np.full((2, 2), MISSING)])
def test_undefined_coefficients_are_none(table: NDArray[np.float64]) -> None:
    measured = measure(table.astype(np.int8), 2)
    assert (measured.cohen, measured.krippendorff, measured.fleiss) == (None, None, None)


@for_all(st.integers(0, 10_000))
def test_a_replicate_equals_the_table_of_the_drawn_items(seed: int) -> None:
    table = draw_table(seed, items=12, annotators=3, choices=2, missing=0.2)
    drawn = np.random.default_rng(seed).integers(12, size=12)
    weights = np.bincount(drawn, minlength=12)[None, :].astype(float)
    expected = measure(table[drawn], 2)
    for name, values in resample(table, 2, weights).items():
        value = getattr(expected, name)
        if name == "fleiss":
            continue  # Whether all items have equally many judgements is decided once, for all items.
        assert values[0] == pytest.approx(np.nan if value is None else value, nan_ok=True, abs=1e-12)
