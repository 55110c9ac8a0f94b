"""Where both files can be split so that the parts can be compared independently.

In: a `Comparison`. Out: `Regions`, sequences of complete sentences on both sides over the same characters.
Both files begin a sentence where a region begins, and the walk that aligns their words passes that position
on both sides at once: so no arc and no pair of words crosses the border of a region.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..reading.fields import Ints, Mask
from ..scoring.compare import Comparison

LARGE = 4 * 1024 * 1024
"""Regions with more bytes are too slow to display: a system may write the whole file as one sentence."""


@dataclass(frozen=True, slots=True)
class Regions:
    """The first sentence of each region on each side; one more entry marks the end."""

    gold: Ints
    system: Ints


def closed_regions(comparison: Comparison) -> Regions:
    gold, system, alignment = comparison.gold, comparison.system, comparison.alignment
    starts = (
        alignment.gold_surface.start[gold.sentence_first_token],
        alignment.system_surface.start[system.sentence_first_token],
    )
    _, of_gold, of_system = np.intersect1d(*starts, assume_unique=True, return_indices=True)
    clean = is_clean(comparison, gold.sentence_first_token[of_gold], system.sentence_first_token[of_system])
    return Regions(of_gold[clean], of_system[clean])


def is_clean(comparison: Comparison, gold_tokens: Ints, system_tokens: Ints) -> Mask:
    """Whether the alignment passes the start of each pair of tokens on both sides at once.

    It does if the preceding tokens have the same span. Otherwise one side may lag behind, and a range that
    begins there would include preceding words in its region. Both ends of the files are clean.
    """
    gold, system, alignment = comparison.gold, comparison.system, comparison.alignment
    clean: Mask = (gold_tokens == 0) | (gold_tokens == gold.tokens)
    inner = np.flatnonzero(~clean)
    g, s = gold_tokens[inner], system_tokens[inner]
    same_before = alignment.gold_surface.start[g - 1] == alignment.system_surface.start[s - 1]
    clean[inner] = same_before | ~(gold.is_multiword[g] | system.is_multiword[s])
    return clean
