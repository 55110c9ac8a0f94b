"""Eisner's algorithm against every tree of short sentences, with and without constraints."""

import random
from itertools import product

import numpy as np
import pytest
from sapling.eisner import best_tree
from sapling.graph import allow
from sapling.projective import crossed, make_projective
from sapling.projective import is_tree as is_tree_of_sapling

from tests.examples.sapling.brute_force import is_projective, is_tree, keeps, projective_trees, trees


def draw_constraints(source: random.Random, size: int) -> list[int]:
    """Heads for some words; not always heads of a tree."""
    return [source.choice([-1, -1, source.randint(0, size)]) for _ in range(size)]


@pytest.mark.parametrize("size", range(1, 7))
def test_the_best_tree_is_the_best_of_all_that_keep_the_constraints(size: int) -> None:
    source = random.Random(size)
    outcomes = set()
    for _ in range(60):
        scores = np.array([[source.randint(-50, 50) for _ in range(size + 1)] for _ in range(size + 1)])
        constraints = draw_constraints(source, size) if source.random() < 0.8 else [-1] * size
        possible = [heads for heads in projective_trees(size) if keeps(heads, constraints)]
        result = best_tree(allow(scores, constraints))
        outcomes.add(result is None)
        if not possible:
            assert result is None
            continue
        assert result is not None
        assert tuple(result) in possible
        total = {heads: sum(scores[h, c] for c, h in enumerate(heads, 1)) for heads in possible}
        assert total[tuple(result)] == max(total.values())
    # One word has a tree or a contradiction; from two words on both occur in every draw of this size.
    assert False in outcomes
    assert size < 2 or True in outcomes


@pytest.mark.parametrize("size", range(1, 6))
def test_lifted_trees_are_projective_and_projective_ones_stay(size: int) -> None:
    for heads in trees(size):
        lifted = make_projective(heads)
        assert is_tree(lifted)
        assert is_projective(lifted)
        assert (crossed(heads) is None) == is_projective(heads)
        if is_projective(heads):
            assert lifted == list(heads)


@pytest.mark.parametrize("size", range(5))
def test_trees_are_recognised(size: int) -> None:
    """Among all heads, with one beyond the sentence and one that is unknown."""
    for heads in product(range(-1, size + 2), repeat=size):
        valid = all(0 <= head <= size for head in heads)
        assert is_tree_of_sapling(list(heads)) == (valid and is_tree(heads))


def test_the_number_of_projective_trees_is_the_known_one() -> None:
    """With one root: 1, 2, 7, 30, 143 (OEIS A006013)."""
    assert [len(projective_trees(size)) for size in range(1, 6)] == [1, 2, 7, 30, 143]
