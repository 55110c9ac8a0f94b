"""MACE (Hovy et al. 2013): the choice of each item and the competence of each annotator.

The model: the true choice of an item is uniform; annotator a copies it with probability θ_a, the competence,
and otherwise draws from a distribution of their own, ξ_a. Expectation maximisation: 50 iterations, δ = 0.01
divided by the number of choices added to every expected count, parameters that start uniform at random, the
restart with the highest likelihood. All restarts run as one array.

With two annotators the model is not identified. Items on which restarts of nearly the same likelihood choose
differently are *undetermined*.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from .table import MISSING

Floats = NDArray[np.float64]

ITERATIONS = 50
RESTARTS = 20
SMOOTHING = 0.01
NEARLY_BEST = 0.01
"""Restarts within this distance of the best log-likelihood count as equally good."""
_TIE = 1e-9
_ANNOTATORS_PER_SCALE = 16
_CELLS_PER_BLOCK = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Aggregation:
    choice: NDArray[np.int64]
    """By item: the index of the most probable choice."""
    entropy: Floats
    """By item: of the distribution over choices, in nats."""
    competence: Floats
    """By annotator: the probability of copying the truth."""
    undetermined: NDArray[np.bool_]
    log_likelihood: float


@dataclass(frozen=True)
class _Parameters:
    competence: Floats
    """restarts × annotators"""
    guesses: Floats
    """restarts × annotators × choices"""


def aggregate(
    labels: NDArray[np.int8], choices: int, *, seed: int = 1, restarts: int = RESTARTS
) -> Aggregation:
    """Aggregate a table of items × annotators."""
    if restarts < 10:
        raise ValueError("MACE needs at least 10 restarts")
    parameters = _draw_parameters(seed, restarts, labels.shape[1], choices)
    for _ in range(ITERATIONS):
        parameters = _maximise(labels, parameters)
    posteriors = np.empty((restarts, len(labels), choices))
    likelihood = np.zeros(restarts)
    for rows, joint, scale in _joint_blocks(labels, parameters):
        total = joint.sum(axis=2)
        posteriors[:, rows] = joint / total[:, :, None]
        likelihood += (np.log(total) + scale).sum(axis=1)
    best = int(likelihood.argmax())
    nearly_best = posteriors[likelihood >= likelihood[best] - NEARLY_BEST]
    chosen = nearly_best.argmax(axis=2)
    return Aggregation(
        choice=posteriors[best].argmax(axis=1),
        entropy=_entropy(posteriors[best]),
        competence=parameters.competence[best],
        undetermined=(chosen != chosen[0]).any(axis=0) | _tied(posteriors[best]),
        log_likelihood=float(likelihood[best]),
    )


def aggregate_groups(
    labels: NDArray[np.int8], choices: int, groups: NDArray[np.int64], *, seed: int = 1
) -> Aggregation:
    """Aggregate each group of items by itself: who is competent in one language need not be in another.

    So the choice for an item is the same whether its test set is analysed alone or with others. The
    competence of an annotator is the mean over their judgements.
    """
    items, annotators = labels.shape
    choice, entropy = np.zeros(items, dtype=np.int64), np.zeros(items)
    undetermined = np.zeros(items, dtype=bool)
    competence, likelihood = np.zeros(annotators), 0.0
    for group in np.unique(groups):
        rows = np.flatnonzero(groups == group)
        judged = (labels[rows] != MISSING).sum(axis=0)
        taking_part = np.flatnonzero(judged)
        own = labels[np.ix_(rows, taking_part)]
        # The choice `equal`, which comes last, exists in a group only if somebody made it there.
        aggregation = aggregate(
            own, choices if (own == choices - 1).any() else max(choices - 1, 2), seed=seed
        )
        choice[rows], entropy[rows] = aggregation.choice, aggregation.entropy
        undetermined[rows] = aggregation.undetermined
        competence[taking_part] += aggregation.competence * judged[taking_part]
        likelihood += aggregation.log_likelihood
    return Aggregation(
        choice=choice,
        entropy=entropy,
        competence=competence / np.maximum((labels != MISSING).sum(axis=0), 1),
        undetermined=undetermined,
        log_likelihood=likelihood,
    )


def _draw_parameters(seed: int, restarts: int, annotators: int, choices: int) -> _Parameters:
    """Raw words of Philox, as for the bootstrap, so that results do not depend on the version of numpy."""
    key = int.from_bytes(blake2b(f"{seed} mace".encode(), digest_size=16).digest(), "little")
    words = np.random.Philox(key=key).random_raw(restarts * annotators * (1 + choices))
    uniform = ((words >> np.uint64(11)).astype(float) + 0.5) * 2.0**-53
    uniform = uniform.reshape(restarts, annotators, 1 + choices)
    guesses = uniform[:, :, 1:]
    return _Parameters(uniform[:, :, 0], guesses / guesses.sum(axis=2, keepdims=True))


def _joint_blocks(
    labels: NDArray[np.int8], parameters: _Parameters
) -> Iterator[tuple[slice, Floats, Floats]]:
    """For blocks of items: P(judgements, truth) as restarts × items × choices, and the log of its scale.

    The product over a thousand annotators is smaller than any float, so it is scaled up on the way.
    """
    restarts, annotators, choices = parameters.guesses.shape
    step = max(1, _CELLS_PER_BLOCK // (restarts * choices))
    for first in range(0, len(labels), step):
        rows = slice(first, min(first + step, len(labels)))
        joint = np.full((restarts, rows.stop - rows.start, choices), 1 / choices)
        scale = np.zeros((restarts, rows.stop - rows.start))
        for annotator in range(annotators):
            column = labels[rows, annotator]
            judged = np.flatnonzero(column != MISSING)
            choice = column[judged]
            copied = parameters.competence[:, annotator]
            guessed = (1 - copied)[:, None] * parameters.guesses[:, annotator, :]
            joint[:, judged] *= guessed[:, choice][:, :, None]
            joint[:, judged, choice] *= 1 + copied[:, None] / guessed[:, choice]
            if annotator % _ANNOTATORS_PER_SCALE == _ANNOTATORS_PER_SCALE - 1:
                highest = joint.max(axis=2)
                joint /= highest[:, :, None]
                scale += np.log(highest)
        yield rows, joint, scale


def _maximise(labels: NDArray[np.int8], parameters: _Parameters) -> _Parameters:
    """One iteration: expected counts under the parameters, then the parameters that fit them best."""
    restarts, annotators, choices = parameters.guesses.shape
    right = np.zeros((restarts, annotators, choices))
    judged = np.zeros((annotators, choices))
    for rows, joint, _ in _joint_blocks(labels, parameters):
        posterior = joint / joint.sum(axis=2, keepdims=True)
        for annotator in range(annotators):
            for choice in range(choices):
                of_choice = labels[rows, annotator] == choice
                judged[annotator, choice] += of_choice.sum()
                right[:, annotator, choice] += posterior[:, of_choice, choice].sum(axis=1)
    # The share of right judgements that were copied and not guessed by chance.
    copied = parameters.competence[:, :, None]
    copied_share = copied / (copied + (1 - copied) * parameters.guesses)
    knowing = right * copied_share
    guessing = judged - knowing
    smoothing = SMOOTHING / choices
    knew, guessed = knowing.sum(axis=2) + smoothing, guessing.sum(axis=2) + smoothing
    guesses = guessing + smoothing
    return _Parameters(knew / (knew + guessed), guesses / guesses.sum(axis=2, keepdims=True))


def _entropy(posterior: Floats) -> Floats:
    logarithms = np.log(np.where(posterior > 0, posterior, 1))
    entropy: Floats = np.maximum(-(posterior * logarithms).sum(axis=1), 0.0)
    return entropy


def _tied(posterior: Floats) -> NDArray[np.bool_]:
    if posterior.shape[1] < 2:
        return np.zeros(len(posterior), dtype=bool)
    highest = np.sort(posterior, axis=1)[:, -2:]
    return highest[:, 1] - highest[:, 0] < _TIE
