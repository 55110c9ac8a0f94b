"""Classes against tags: equal to scikit-learn, to brute force, and to a slow reference."""

from __future__ import annotations

import random
from itertools import permutations
from math import log

import numpy as np
import pytest
from sklearn.metrics import mutual_info_score, v_measure_score

import evaluation
from evaluation.ranking.philox import multiplicities
from evaluation.ranking.table_columns import resampled_tables
from evaluation.scoring import clusterings
from evaluation.scoring.table import Table
from tests.evaluation.forests import draw_sentences, nine_columns, redraw

RULES = {
    "M-1": clusterings.many_to_one,
    "1-1": clusterings.one_to_one,
    "1-1 (optimal)": clusterings.one_to_one_optimal,
    "VM": clusterings.v_measure,
    "VI": clusterings.variation_of_information,
}


def draw_table(seed: int, largest: int = 9) -> np.ndarray:
    source = np.random.default_rng(seed)
    shape = source.integers(1, 6), source.integers(1, 6)
    return source.integers(0, largest, shape) * (source.random(shape) < 0.7)


def labels_of(table: np.ndarray) -> tuple[list[int], list[int]]:
    classes, tags = [], []
    for (row, column), count in np.ndenumerate(table):
        classes += [row] * int(count)
        tags += [column] * int(count)
    return classes, tags


def entropy(labels: list[int]) -> float:
    shares = [labels.count(value) / len(labels) for value in set(labels)]
    return -sum(share * log(share, 2) for share in shares)


@pytest.mark.parametrize("seed", range(60))
def test_information_is_that_of_scikit_learn(seed: int) -> None:
    table = draw_table(seed)
    classes, tags = labels_of(table)
    if not classes:
        pytest.skip("an empty table, for which the next test says what is right")
    vm, vi = (float(RULES[name](table.astype(float))) for name in ("VM", "VI"))
    assert vm == pytest.approx(v_measure_score(tags, classes), abs=1e-9)
    information = mutual_info_score(tags, classes) / log(2)
    assert vi == pytest.approx(entropy(tags) + entropy(classes) - 2 * information, abs=1e-9)


def test_empty_tables_and_single_classes_have_figures() -> None:
    assert [float(rule(np.zeros((2, 3)))) for rule in RULES.values()] == [0, 0, 0, 1, 0]
    assert [float(rule(np.array([[7.0]]))) for rule in RULES.values()] == [1, 1, 1, 1, 0]
    # Of four sentences, in a file without classes.
    assert [rule(np.zeros((4, 0, 3))).shape for rule in RULES.values()] == [(4,)] * len(RULES)
    # One class for two tags says nothing about them.
    assert float(clusterings.v_measure(np.array([[1.0, 1.0]]))) == 0


def greedy_slowly(table: np.ndarray) -> int:
    """Cells in falling order of count, equal ones by class and tag; each class and tag once."""
    cells = sorted(((-int(count), row, column) for (row, column), count in np.ndenumerate(table)))
    rows: set[int] = set()
    columns: set[int] = set()
    taken = 0
    for count, row, column in cells:
        if row not in rows and column not in columns:
            rows.add(row)
            columns.add(column)
            taken -= count
    return taken


def best_by_trying(table: np.ndarray) -> int:
    wide = table if table.shape[0] <= table.shape[1] else table.T
    return max(
        sum(int(wide[row, column]) for row, column in enumerate(order))
        for order in permutations(range(wide.shape[1]), wide.shape[0])
    )


@pytest.mark.parametrize("seed", range(60))
def test_assignments_are_those_of_slow_references(seed: int) -> None:
    # Small counts make many equal cells.
    table = draw_table(seed, largest=4)
    size = max(1, int(table.sum()))
    values = table.astype(float)
    assert float(clusterings.one_to_one(values)) == pytest.approx(greedy_slowly(table) / size, abs=1e-12)
    best = best_by_trying(table) / size
    assert float(clusterings.one_to_one_optimal(values)) == pytest.approx(best, abs=1e-12)
    assert float(clusterings.many_to_one(values)) == table.max(axis=1).sum() / size


@pytest.mark.parametrize("name", RULES)
def test_many_tables_at_once_give_the_figures_of_each(name: str) -> None:
    source = np.random.default_rng(1)
    tables = source.integers(0, 30, (20, 7, 5)).astype(float)
    assert RULES[name](tables).tolist() == [float(RULES[name](table)) for table in tables]


def test_equal_cells_are_taken_in_the_order_of_strings() -> None:
    items = {"unit": np.zeros(3, dtype=np.int64), "row": np.array([0, 1, 1]), "column": np.array([0, 0, 1])}
    # The cells (b, x), (a, x) and (a, y) have one word each: (a, x) comes first and leaves nothing for b.
    table = Table.from_items(["b", "a"], ["x", "y"], 1, **items)
    assert float(clusterings.one_to_one(table.total().astype(float))) == pytest.approx(1 / 3)


def test_replicates_of_a_table_are_sums_of_the_tables_of_drawn_units() -> None:
    source = np.random.default_rng(2)
    items = {name: source.integers(0, n, 500) for name, n in (("unit", 40), ("row", 6), ("column", 4))}
    table = Table.from_items(list("fbdace"), list("wxyz"), 40, **items)
    drawn = multiplicities(7, "en", 40, 0, 11)
    expected = np.einsum("ru,uij->rij", drawn, table.by_unit())
    assert np.array_equal(resampled_tables(table, drawn), expected)
    assert np.array_equal(table.by_unit().sum(axis=0), table.total())


def test_tables_survive_storage() -> None:
    source = random.Random(1)
    gold = draw_sentences(source)
    comparison = evaluation.compare(nine_columns(gold), nine_columns(redraw(source, gold)), "pascal12")
    counts = evaluation.counts_by_unit(comparison)
    again = evaluation.Counts.from_bytes(counts.to_bytes())
    assert set(again.tables) == {"universal", "fine"}
    for name, table in again.tables.items():
        assert np.array_equal(table.by_unit(), counts.tables[name].by_unit())
        assert (table.rows, table.columns) == (counts.tables[name].rows, counts.tables[name].columns)
