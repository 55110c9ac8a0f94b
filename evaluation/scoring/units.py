"""The units that the bootstrap draws, and the unit of each word, token and sentence.

The unit is the gold sentence, or the gold document. Gold words, aligned and correct pairs count in the gold
word's unit; a system word counts in the unit that holds the first character of its token. So the sums by
unit add up exactly to those of the file, regardless of how the system segments sentences.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..reading.fields import Ints
from ..reading.treebank import Surface, Treebank
from .compare import Comparison
from .metric import Units

Unit = Literal["sentence", "document"]
ENOUGH_DOCUMENTS = 20
"""A bootstrap over fewer documents says little about other documents."""
ENOUGH_UNITS = 20
"""A test set with fewer units has no interval and no p-value of its own: one unit would always agree."""


def resampling_unit(gold: Treebank, requested: Unit) -> Unit:
    """The unit that the bootstrap draws: documents if there are enough of them; sentences can be requested.

    Sentences of one document resemble each other, so that intervals by sentence are too narrow.
    """
    enough = requested == "document" and int(gold.documents[-1]) + 1 >= ENOUGH_DOCUMENTS
    return "document" if enough else "sentence"


def find_units(comparison: Comparison, unit: Unit = "sentence") -> Units:
    """The unit of every item of the two files."""
    gold, system = comparison.gold, comparison.system
    of_sentence = gold.documents if unit == "document" else np.arange(gold.sentences)
    system_token_unit = of_sentence[gold_sentence_of_tokens(comparison)]
    return Units(
        int(of_sentence[-1]) + 1,
        gold={
            "words": of_sentence[gold.sentence],
            "tokens": of_sentence[gold.layout.sentence[gold.token_rows]],
            "sentences": of_sentence,
        },
        system={
            "words": system_token_unit[system.token],
            "tokens": system_token_unit,
            "sentences": system_token_unit[system.sentence_first_token[:-1]],
        },
    )


def gold_sentence_of_tokens(comparison: Comparison) -> Ints:
    """For each system token, the gold sentence that holds its first character."""
    starts = _sentence_starts(comparison.gold, comparison.alignment.gold_surface)
    return np.searchsorted(starts, comparison.alignment.system_surface.start[:-1], side="right") - 1


def _sentence_starts(treebank: Treebank, surface: Surface) -> Ints:
    return surface.start[treebank.sentence_first_token[:-1]]
