"""Where both files may be cut so that the pieces compare as they do in the whole.

In: a `Comparison`. Out: `Regions`, runs of whole sentences on both sides over the same characters. Both files
begin a sentence where a region begins, and the walk that aligns their words stands there with both feet: so
neither an arc nor a pair of words leads out of a region.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..reading.fields import Ints, Mask
from ..scoring.compare import Comparison

LARGE = 4 * 1024 * 1024
"""Bytes of a region that nobody should wait for: a system may write one sentence for a whole file."""


@dataclass(frozen=True, slots=True)
class Regions:
    """The first sentence of each region on either side; one more entry marks the end."""

    gold: Ints
    system: Ints


def closed_regions(comparison: Comparison) -> Regions:
    gold, system, alignment = comparison.gold, comparison.system, comparison.alignment
    starts = (
        alignment.gold_surface.start[gold.sentence_first_token],
        alignment.system_surface.start[system.sentence_first_token],
    )
    _, of_gold, of_system = np.intersect1d(*starts, assume_unique=True, return_indices=True)
    kept = is_clean(comparison, gold.sentence_first_token[of_gold], system.sentence_first_token[of_system])
    return Regions(of_gold[kept], of_system[kept])


def is_clean(comparison: Comparison, gold_tokens: Ints, system_tokens: Ints) -> Mask:
    """Whether the alignment passes with both sides at once the place where each pair of tokens begins.

    It does where the tokens before have the same span. Elsewhere one side may lag behind, and a range that
    opens there would draw words from before it into its region. Both ends of the files are clean.
    """
    gold, system, alignment = comparison.gold, comparison.system, comparison.alignment
    clean: Mask = (gold_tokens == 0) | (gold_tokens == gold.tokens)
    inner = np.flatnonzero(~clean)
    g, s = gold_tokens[inner], system_tokens[inner]
    same_before = alignment.gold_surface.start[g - 1] == alignment.system_surface.start[s - 1]
    clean[inner] = same_before | ~(gold.is_multiword[g] | system.is_multiword[s])
    return clean
