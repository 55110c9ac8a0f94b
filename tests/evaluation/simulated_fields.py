"""Fields drawn from a known population, so that it can be counted how often statements about it are wrong.

A field has independent copies of the same experiment as its systems, or as pairs of systems: they share the
lengths of the sentences, and nothing else. Sentences of a document share how difficult the document is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.ranking.bootstrap import resample
from evaluation.ranking.results import GoldSet, Outcome, Results
from evaluation.ranking.significance import LEVEL, Sides, p_values
from evaluation.scoring.counts import Counts

LENGTHS = np.arange(3, 61)
WEIGHTS = np.exp(-LENGTHS / 15) / np.exp(-LENGTHS / 15).sum()
"""Many short sentences and few long ones, which are harder: figures of small samples are a little biased."""
SHARE_OF_SHORTEST, LOSS_PER_WORD = 0.85, 0.004
F1 = float(
    (WEIGHTS * LENGTHS * (SHARE_OF_SHORTEST - LOSS_PER_WORD * LENGTHS)).sum() / (WEIGHTS * LENGTHS).sum()
)
"""Of the population, whatever the sizes."""
MOST = 0.14
"""By which a sentence differs from others of its length, so that shares stay below 1."""


@dataclass(frozen=True)
class Population:
    """Sentences of a document: the accuracy of each is drawn around that of the document."""

    sets: int = 1
    documents: int = 200
    sentences: int = 1
    """Of each document."""
    spread: float = 0.12
    """Of the accuracy of documents."""


def draw_field(
    population: Population,
    copies: int,
    source: np.random.Generator,
    *,
    by_document: bool,
    advantage: float | None = None,
) -> Results:
    """With an advantage, each copy is a pair: the second system is better by so much on the average."""
    names = [f"S{number:03}" for number in range(copies if advantage is None else 2 * copies)]
    files: dict[str, dict[str, Outcome]] = {name: {} for name in names}
    codes = [f"set{number}" for number in range(population.sets)]
    for code in codes:
        shape = (population.documents, population.sentences)
        gold = source.choice(LENGTHS, shape, p=WEIGHTS)
        for index, name in enumerate(names):
            if advantage is None or index % 2 == 0:
                difficulty = source.normal(0, population.spread, (shape[0], 1))
                difficulty = difficulty + source.normal(0, 0.08, shape)
                # Cut off on both sides alike, so that the mean is that of the population.
                difficulty = np.clip(difficulty, -MOST, MOST)
            share = SHARE_OF_SHORTEST - LOSS_PER_WORD * gold + difficulty
            share = share + (advantage if advantage and index % 2 else 0.0)
            correct = source.binomial(gold, np.clip(share, 0, 1))
            files[name][code] = _outcome(gold, correct, by_document)
    return Results(profile="conll17", sets=tuple(GoldSet(code=code) for code in codes), systems=files)


def _outcome(gold: NDArray[np.int64], correct: NDArray[np.int64], by_document: bool) -> Outcome:
    if by_document:
        gold, correct = gold.sum(axis=1), correct.sum(axis=1)
    values = np.stack([gold.ravel(), gold.ravel(), correct.ravel(), correct.ravel()], axis=1)
    return Outcome.from_counts(Counts(("LAS",), values[:, None].astype(np.int32)))


def coverage(
    population: Population, *, by_document: bool, copies: int, fields: int, replicates: int
) -> float:
    """How often the 95% interval covers the F1 of the population."""
    covered = 0
    for seed in range(fields):
        source = np.random.default_rng([seed, population.sets, population.documents, by_document])
        results = draw_field(population, copies, source, by_document=by_document)
        found = resample(results, metrics=["LAS"], replicates=replicates, seed=seed, compared=())
        covered += int(((found.low[0, 0] <= F1) & (found.high[0, 0] >= F1)).sum())
    return covered / (copies * fields)


def significant(
    population: Population,
    *,
    advantage: float,
    by_document: bool = True,
    copies: int,
    fields: int,
    replicates: int,
) -> dict[Sides, float]:
    """How often a table would separate the two systems of a pair by a line, whichever is ahead."""
    separated: dict[Sides, int] = {"two-sided": 0, "one-sided": 0}
    for seed in range(fields):
        source = np.random.default_rng([seed, population.sets, population.documents, 7])
        results = draw_field(population, copies, source, by_document=by_document, advantage=advantage)
        found = resample(results, metrics=["LAS"], replicates=replicates, seed=seed)
        first, second = np.arange(0, 2 * copies, 2), np.arange(1, 2 * copies, 2)
        above, below = found.above[0, 0][first, second], found.above[0, 0][second, first]
        # The direction is chosen from the data.
        for sides in separated:
            p = p_values(np.maximum(above, below), np.minimum(above, below), replicates, sides)
            separated[sides] += int((p < LEVEL).sum())
    return {sides: count / (copies * fields) for sides, count in separated.items()}
