"""Arc-eager transitions: which trees they reach, and constrained decoding against every sequence."""

import random
from collections.abc import Iterator

import numpy as np
import pytest
from sapling.arceager import Beam, oracle
from sapling.conllu import Sentence
from sapling.templates import Templates
from sapling.transition import BITS, TEMPLATES, StateFeatures, TransitionParser

from tests.examples.sapling.brute_force import keeps, projective_trees

TAGS = ("NOUN", "VERB", "ADP", "PUNCT")


def step(beam: Beam, transition: int) -> Beam:
    return beam.follow(np.zeros(1, dtype=np.int64), np.array([transition]))


def sequences(beam: Beam, taken: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Beam]]:
    """Every sequence of transitions, without constraints, and its last state."""
    if len(taken) == 2 * beam.words - 1:
        yield taken, beam
        return
    for transition in np.flatnonzero(beam.allowed()[0]).tolist():
        yield from sequences(step(beam, transition), (*taken, transition))


def heads_of(beam: Beam) -> tuple[int, ...]:
    return tuple(beam.heads[0, 1:-1].tolist())


def sentence(size: int, source: random.Random) -> Sentence:
    words = [
        (str(n), f"w{n}", "_", source.choice(TAGS), "_", "_", "_", "_", "_", "_") for n in range(1, size + 1)
    ]
    return Sentence((), tuple(words))


@pytest.mark.parametrize("size", range(1, 6))
def test_the_transitions_reach_all_projective_trees_and_no_others(size: int) -> None:
    assert {heads_of(beam) for _, beam in sequences(Beam.start(size))} == set(projective_trees(size))


@pytest.mark.parametrize("size", range(1, 6))
def test_the_oracle_builds_every_projective_tree(size: int) -> None:
    for heads in projective_trees(size):
        beam = Beam.start(size)
        for transition in oracle(heads):
            assert beam.allowed()[0, transition]
            beam = step(beam, transition)
        assert heads_of(beam) == heads


@pytest.mark.parametrize("size", range(1, 5))
def test_a_wide_beam_finds_the_best_sequence_that_keeps_the_constraints(size: int) -> None:
    source = random.Random(size)
    weights = np.random.default_rng(size).integers(-100, 100, (1 << BITS, 4))
    parser = TransitionParser(weights, width=2_000)
    outcomes = set()
    for _ in range(12):
        drawn = sentence(size, source)
        features = StateFeatures(Templates(TEMPLATES, BITS), drawn)
        total: dict[tuple[int, ...], int] = {}
        for taken, last in sequences(Beam.start(size)):
            beam, score = Beam.start(size), 0
            for transition in taken:
                score += int(weights[features.of(beam)[:, 0], transition].sum())
                beam = step(beam, transition)
            total[heads_of(last)] = max(score, total.get(heads_of(last), score))
        for _ in range(15):
            constraints = [source.choice([-1, source.randint(0, size)]) for _ in range(size)]
            possible = {heads: score for heads, score in total.items() if keeps(heads, constraints)}
            result = parser.parse(drawn, constraints)
            outcomes.add(result is None)
            if not possible:
                assert result is None
            else:
                assert result is not None
                assert possible[tuple(result)] == max(possible.values())
    assert False in outcomes
    assert size < 2 or True in outcomes


def test_a_narrow_beam_covers_less_and_never_breaks_a_constraint() -> None:
    source = random.Random(5)
    weights = np.random.default_rng(5).integers(-100, 100, (1 << BITS, 4))
    covered = dict.fromkeys((1, 4, 2_000), 0)
    possible = 0
    for _ in range(60):
        drawn = sentence(6, source)
        tree = source.choice(projective_trees(6))
        constraints = [head if source.random() < 0.4 else -1 for head in tree]
        possible += 1
        for width in covered:
            result = TransitionParser(weights, width).parse(drawn, constraints)
            if result is not None:
                assert keeps(result, constraints)
                covered[width] += 1
    assert covered[1] < covered[4] < covered[2_000] == possible


def test_a_beam_without_constraints_always_finds_a_tree() -> None:
    source = random.Random(6)
    weights = np.random.default_rng(6).integers(-100, 100, (1 << BITS, 4))
    for size in (1, 2, 3, 9, 30):
        result = TransitionParser(weights, width=2).parse(sentence(size, source))
        assert result is not None
        assert result.count(0) == 1
