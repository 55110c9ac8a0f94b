"""Speed of aggregating judgements: MACE on 10,000 items with five annotators, compared with the plain loop.

Run with `make bench`. The loop goes through the judgements one by one, as the model is written down; it is
measured on one iteration of one restart, which is all that is repeated, and both sides by processor time. A
second line is about all figures of the same judgements, with their intervals.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from evaluation.judgements.analyse import REPLICATES, analyse  # noqa: E402
from evaluation.judgements.mace import ITERATIONS, RESTARTS, SMOOTHING, aggregate  # noqa: E402
from evaluation.judgements.measures import Measures  # noqa: E402
from evaluation.judgements.table import JudgementTable  # noqa: E402

ITEMS, ANNOTATORS, CHOICES, METRICS = 10_000, 5, 2, 10


def main() -> None:
    labels, truth = judgements()
    start = time.process_time()
    aggregation = aggregate(labels, CHOICES)
    ours = time.process_time() - start
    theirs = loop(labels.tolist()) * ITERATIONS * RESTARTS
    right = float((aggregation.choice == truth).mean())
    what = f"MACE, {ITEMS:,} items × {ANNOTATORS} annotators, {RESTARTS} restarts ({right:.1%} right)"
    print(f"{what:<64} {ours:8.1f} s, loop {theirs:8.0f} s: {theirs / ours:5.0f} ×   target: 10 ×")
    start = time.process_time()
    analyse(table_of(labels), measures_of(truth), "M0")
    what = f"all figures, {METRICS} metrics, {REPLICATES:,} replicates"
    print(f"{what:<64} {time.process_time() - start:8.1f} s")


def judgements() -> tuple[np.ndarray, np.ndarray]:
    """Annotators of different competence, who guess with a preference for the first tree."""
    source = np.random.default_rng(1)
    truth = source.integers(0, CHOICES, ITEMS)
    competence = np.linspace(0.3, 0.9, ANNOTATORS)
    copies = source.random((ITEMS, ANNOTATORS)) < competence
    guesses = (source.random((ITEMS, ANNOTATORS)) < 0.4).astype(np.int64)
    return np.where(copies, truth[:, None], guesses).astype(np.int8), truth


def table_of(labels: np.ndarray) -> JudgementTable:
    annotators = [f"a{number}" for number in range(ANNOTATORS)]
    return JudgementTable(
        items=list(range(1, ITEMS + 1)), annotators=annotators, choices=("x", "y"), labels=labels
    )


def measures_of(truth: np.ndarray) -> Measures:
    source = np.random.default_rng(2)
    agrees = source.random((METRICS, ITEMS)) < 0.7
    signs = np.where(agrees, 2 * truth - 1, source.integers(-1, 2, (METRICS, ITEMS))).astype(np.int8)
    names = [f"M{number}" for number in range(METRICS)]
    return Measures(
        lengths=source.integers(3, 60, ITEMS),
        signs=dict(zip(names, signs, strict=True)),
        counts_something=dict.fromkeys(names, np.ones(ITEMS, dtype=bool)),
    )


def loop(rows: list[list[int]]) -> float:
    """Seconds of one iteration: the posterior of every item, then the expected counts of every annotator."""
    competence = [0.5] * ANNOTATORS
    guesses = [[1 / CHOICES] * CHOICES for _ in range(ANNOTATORS)]
    start = time.process_time()
    knew = [SMOOTHING / CHOICES] * ANNOTATORS
    guessed = [[SMOOTHING / CHOICES] * CHOICES for _ in range(ANNOTATORS)]
    for row in rows:
        joint = []
        for truth in range(CHOICES):
            probability = 1 / CHOICES
            for annotator, choice in enumerate(row):
                copied = competence[annotator] if choice == truth else 0.0
                probability *= copied + (1 - competence[annotator]) * guesses[annotator][choice]
            joint.append(probability)
        total = sum(joint)
        for annotator, choice in enumerate(row):
            chance = (1 - competence[annotator]) * guesses[annotator][choice]
            copied = joint[choice] / total * competence[annotator] / (competence[annotator] + chance)
            knew[annotator] += copied
            guessed[annotator][choice] += 1 - copied
    for annotator in range(ANNOTATORS):
        total = sum(guessed[annotator])
        competence[annotator] = knew[annotator] / (knew[annotator] + total)
        guesses[annotator] = [count / total for count in guessed[annotator]]
    return time.process_time() - start


if __name__ == "__main__":
    main()
