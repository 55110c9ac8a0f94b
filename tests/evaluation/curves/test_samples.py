"""Training samples: the same for the same seed, nested or independent, never with a sentence twice."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest

import evaluation
from evaluation.curves.folders import BadSeries
from evaluation.curves.samples import Sampling, check_samples, draw_sample, split_sentences
from tests.evaluation.small_files import conllu, star

SIZES = (5, 10, 20, 50)


def drawn(sampling: Sampling, *, seed: int = 1, code: str = "fr", number: int = 1) -> dict[int, list[int]]:
    return {
        size: draw_sample(100, code=code, size=size, number=number, seed=seed, sampling=sampling)
        for size in SIZES
    }


@pytest.mark.parametrize("sampling", Sampling)
def test_a_sample_has_its_size_and_the_order_of_the_file(sampling: Sampling) -> None:
    for size, chosen in drawn(sampling).items():
        assert len(set(chosen)) == size
        assert chosen == sorted(chosen)
        assert set(chosen) <= set(range(100))


def test_nested_samples_contain_the_smaller_ones_and_independent_ones_do_not() -> None:
    nested, independent = (list(map(set, drawn(sampling).values())) for sampling in Sampling)
    assert all(small < large for small, large in pairwise(nested))
    assert not any(small < large for small, large in pairwise(independent))


@pytest.mark.parametrize("sampling", Sampling)
def test_seed_test_set_and_number_decide_and_nothing_else_does(sampling: Sampling) -> None:
    first = drawn(sampling)
    random.seed(7)
    np.random.seed(7)
    assert drawn(sampling) == first
    for change in ({"seed": 2}, {"code": "de"}, {"number": 2}):
        assert drawn(sampling, **change)[50] != first[50]  # type: ignore[arg-type]


def test_every_sentence_is_drawn_about_equally_often() -> None:
    times = np.zeros(40)
    for number in range(1, 1001):
        times[draw_sample(40, code="fr", size=10, number=number, seed=1, sampling=Sampling.INDEPENDENT)] += 1
    # 1,000 draws with probability 1/4: the standard deviation is 13.7.
    assert times.sum() == 10_000
    assert np.abs(times - 250).max() < 5 * 13.7


def test_a_file_is_split_into_its_sentences() -> None:
    content = conllu(f"# sent_id = 1\n{star(3)}") + conllu(star(2)) + conllu(star(1))
    sentences = split_sentences(content)
    assert b"".join(sentences) == content
    assert len(sentences) == evaluation.read(content).sentences
    windows = b"\xef\xbb\xbf" + content.replace(b"\n", b"\r\n") + b"\r\n\r\n"
    assert split_sentences(windows) == sentences
    assert split_sentences(b"\n\n") == []


@pytest.mark.parametrize(
    ("sizes", "samples", "words"),
    [
        ((5, 10), 1, "at least 3 sizes"),
        ((5, 20, 10), 1, "sizes must increase, but 10 follows 20"),
        ((0, 5, 10), 1, "at least one sentence"),
        ((5, 10, 20), 0, "from 1 to 20, not 0"),
        ((5, 10, 500), 2, "the training data of fr has 100 sentences, too few for a sample of 500"),
    ],
)
def test_samples_that_cannot_be_drawn_are_refused_in_words(
    sizes: tuple[int, ...], samples: int, words: str
) -> None:
    with pytest.raises(BadSeries, match=words):
        check_samples(sizes, samples, code="fr", sentences=100)
