"""Which constraints a projective tree can keep, against every tree of short sentences."""

import random

import pytest

from evaluation.cascades.projectivity import FREE, can_be_projective, is_projective
from tests.examples.sapling import brute_force


@pytest.mark.parametrize("size", range(1, 6))
def test_trees_are_projective_if_no_arcs_cross(size: int) -> None:
    for heads in brute_force.trees(size):
        assert is_projective(heads) == brute_force.is_projective(heads)


@pytest.mark.parametrize("size", range(1, 7))
def test_constraints_are_possible_if_one_of_all_projective_trees_keeps_them(size: int) -> None:
    source = random.Random(size)
    answers = []
    for _ in range(150):
        heads = [source.choice([FREE, source.randint(0, size)]) for _ in range(size)]
        expected = any(brute_force.keeps(tree, heads) for tree in brute_force.projective_trees(size))
        assert can_be_projective(heads) == expected
        answers.append(expected)
    assert True in answers
    assert False in answers
