"""Where both files may be cut so that the pieces compare as they do in the whole.

In: a `Comparison`. Out: `Regions`, runs of whole sentences on both sides over the same characters. Both files
begin a sentence where a region begins, and the walk that aligns their words stands there with both feet: so
neither an arc nor a pair of words leads out of a region.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evaluation.reading.fields import Ints, Mask
from evaluation.scoring.compare import Comparison


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
    kept = np.ones(len(of_gold), dtype=bool)
    kept[1:-1] = _is_clean(comparison, of_gold[1:-1], of_system[1:-1])
    return Regions(of_gold[kept], of_system[kept])


def _is_clean(comparison: Comparison, of_gold: Ints, of_system: Ints) -> Mask:
    """Whether the alignment passes a boundary of sentences with both sides at once.

    It does where the tokens before the boundary have the same span. Elsewhere one side may lag behind, and a
    range that opens behind the boundary would draw words from before it into its region.
    """
    gold, system, alignment = comparison.gold, comparison.system, comparison.alignment
    g, s = gold.sentence_first_token[of_gold], system.sentence_first_token[of_system]
    same_before = alignment.gold_surface.start[g - 1] == alignment.system_surface.start[s - 1]
    clean: Mask = same_before | ~(gold.multi_token[g] | system.multi_token[s])
    return clean
