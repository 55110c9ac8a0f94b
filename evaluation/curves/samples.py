"""Draw training samples of growing size from a training file, by seed.

In: the sentences of a CoNLL-U file, a size and the number of the sample. Out: the sentences of the sample, in
the order of the file.

The definition: the raw words of Philox-4x64 with key = BLAKE2b-128 of `<seed> <label>`, from the first block
on, are given to the sentences in the order of the file, and the sentences are sorted by them; the sample is
the first `size` of these. Nested samples have the label `<code> sample <number>`, so that each contains the
smaller ones of its number; independent ones have `<code> sample <number> size <size>`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

import numpy as np

from ..ranking.philox import draw_key
from .folders import BadSeries, check_sizes

MAX_SAMPLES = 20


class Sampling(StrEnum):
    NESTED = "nested"
    INDEPENDENT = "independent"


def draw_sample(
    sentences: int, *, code: str, size: int, number: int, seed: int, sampling: Sampling
) -> list[int]:
    """The numbers of the sentences, growing, from 0.

    >>> draw_sample(9, code="fr", size=4, number=1, seed=1, sampling=Sampling.NESTED)
    [2, 4, 6, 7]
    >>> draw_sample(9, code="fr", size=2, number=1, seed=1, sampling=Sampling.NESTED)
    [2, 6]
    """
    if not 1 <= size <= sentences:
        raise ValueError(f"no sample of {size} can be drawn from {sentences} sentences")
    label = f"{code} sample {number}" + (f" size {size}" if sampling is Sampling.INDEPENDENT else "")
    words = np.random.Philox(key=draw_key(seed, label)).random_raw(sentences)
    chosen: list[int] = np.sort(np.argsort(words, kind="stable")[:size]).tolist()
    return chosen


def check_samples(sizes: Sequence[int], samples: int, *, code: str, sentences: int) -> None:
    """Raise BadSeries unless all these samples can be drawn from a file with so many sentences."""
    check_sizes(sizes)
    if not 1 <= samples <= MAX_SAMPLES:
        raise BadSeries(f"the number of samples must be from 1 to {MAX_SAMPLES}, not {samples}")
    if sizes[-1] > sentences:
        raise BadSeries(
            f"the training data of {code} has {sentences} sentences, too few for a sample of {sizes[-1]}"
        )


def split_sentences(content: bytes) -> list[bytes]:
    """The sentences of a valid CoNLL-U file, each with the blank line that ends it."""
    text = content.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").strip(b"\n")
    return [block + b"\n\n" for block in re.split(rb"\n{2,}", text) if block]
