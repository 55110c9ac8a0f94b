"""MACE, checked against expectation maximisation written out one judgement at a time."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest
from numpy.typing import NDArray

from evaluation.judgements import mace
from evaluation.judgements.table import MISSING

Table = NDArray[np.int8]
# As METRICS.md has them, and not as the code does.
ITERATIONS, DELTA = 50, 0.01


def draw_table(seed: int, competences: list[float], *, items: int = 60, missing: float = 0.1) -> Table:
    random = np.random.default_rng(seed)
    truth = random.integers(2, size=items)
    table = np.full((items, len(competences)), MISSING, dtype=np.int8)
    for item in range(items):
        for annotator, competence in enumerate(competences):
            if random.random() >= missing:
                knows = random.random() < competence
                table[item, annotator] = truth[item] if knows else random.random() < 0.7
    return table


def slow_mace(
    table: Table, choices: int, competence: list[float], guesses: list[list[float]]
) -> tuple[list[list[float]], list[float], float]:
    """Posteriors, competences and log-likelihood after the iterations, from these parameters."""
    smoothing = DELTA / choices
    for iteration in range(ITERATIONS + 1):
        posteriors, likelihood = [], 0.0
        for row in table:
            joint = []
            for truth in range(choices):
                probability = 1 / choices
                for annotator, choice in enumerate(row):
                    if choice != MISSING:
                        spam = (1 - competence[annotator]) * guesses[annotator][choice]
                        probability *= spam + (competence[annotator] if choice == truth else 0)
                joint.append(probability)
            likelihood += math.log(sum(joint))
            posteriors.append([value / sum(joint) for value in joint])
        if iteration == ITERATIONS:
            return posteriors, competence, likelihood
        new_competence, new_guesses = [], []
        for annotator in range(table.shape[1]):
            knew, guessed = smoothing, smoothing
            strategy = [smoothing] * choices
            for row, posterior in zip(table, posteriors, strict=True):
                choice = row[annotator]
                if choice == MISSING:
                    continue
                spam = (1 - competence[annotator]) * guesses[annotator][choice]
                copied = posterior[choice] * competence[annotator] / (competence[annotator] + spam)
                knew += copied
                guessed += 1 - copied
                strategy[choice] += 1 - copied
            new_competence.append(knew / (knew + guessed))
            new_guesses.append([value / sum(strategy) for value in strategy])
        competence, guesses = new_competence, new_guesses
    raise AssertionError("unreachable")


@pytest.mark.parametrize("seed", range(2))
def test_the_best_of_all_restarts_agrees_with_the_slow_one(seed: int) -> None:
    table = draw_table(seed, [0.9, 0.7, 0.2], items=25)
    drawn = mace._draw_parameters(1, 10, 3, 2)
    slow = [
        slow_mace(table, 2, list(competence), [list(row) for row in guesses])
        for competence, guesses in zip(drawn.competence, drawn.guesses, strict=True)
    ]
    posteriors, competence, likelihood = max(slow, key=lambda result: result[2])
    aggregation = mace.aggregate(table, 2, seed=1, restarts=10)
    assert aggregation.log_likelihood == pytest.approx(likelihood, abs=1e-8)
    assert aggregation.competence == pytest.approx(np.array(competence), abs=1e-8)
    entropies = [-sum(p * math.log(p) for p in posterior if p > 0) for posterior in posteriors]
    assert aggregation.entropy == pytest.approx(np.array(entropies), abs=1e-8)
    assert list(aggregation.choice) == [int(np.argmax(posterior)) for posterior in posteriors]


def test_an_annotator_who_guesses_counts_little() -> None:
    random = np.random.default_rng(5)
    truth = random.integers(2, size=200)
    competent = np.stack([np.where(random.random(200) < 0.95, truth, 1 - truth) for _ in range(3)], axis=1)
    table = np.concatenate([competent, random.integers(2, size=(200, 1))], axis=1).astype(np.int8)
    aggregation = mace.aggregate(table, 2)
    assert aggregation.competence[:3].min() > 0.8
    assert aggregation.competence[3] < 0.3
    assert (aggregation.choice == truth).mean() > 0.97


def test_results_depend_on_the_seed_alone() -> None:
    table = draw_table(3, [0.8, 0.6, 0.4])
    first, second = mace.aggregate(table, 2, seed=7), mace.aggregate(table, 2, seed=7)
    assert first.log_likelihood == second.log_likelihood
    assert np.array_equal(first.entropy, second.entropy)


def test_two_annotators_who_always_disagree_leave_every_item_undetermined() -> None:
    table = np.array([[0, 1], [1, 0]] * 20, dtype=np.int8)
    assert mace.aggregate(table, 2).undetermined.all()


def test_an_item_that_nobody_judged_is_undetermined() -> None:
    table = draw_table(1, [0.9, 0.9, 0.9], missing=0)
    table[7] = MISSING
    aggregation = mace.aggregate(table, 2)
    assert aggregation.undetermined[7]
    assert aggregation.entropy[7] == pytest.approx(math.log(2))


def test_items_are_processed_in_blocks_without_changing_results(monkeypatch: pytest.MonkeyPatch) -> None:
    table = draw_table(2, [0.9, 0.5, 0.7])
    whole = mace.aggregate(table, 2)
    monkeypatch.setattr(mace, "_CELLS_PER_BLOCK", 400)
    blocks = mace.aggregate(table, 2)
    assert blocks.entropy == pytest.approx(whole.entropy, abs=1e-9)
    assert np.array_equal(blocks.choice, whole.choice)


def test_a_crowd_of_annotators_has_finite_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """The probability of two thousand judgements of one item is smaller than any float."""
    monkeypatch.setattr(mace, "ITERATIONS", 2)
    crowd = mace.aggregate(draw_table(4, [0.5] * 2000, items=20, missing=0), 2)
    assert np.isfinite(crowd.log_likelihood) and crowd.log_likelihood < 20 * math.log(sys.float_info.min)
    assert np.isfinite(crowd.competence).all() and np.isfinite(crowd.entropy).all()


def test_fewer_than_ten_restarts_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 10 restarts"):
        mace.aggregate(draw_table(1, [0.5]), 2, restarts=9)
