"""EvaLatin: attachment scores of Latin over given tokens, with and without subtypes of relations."""

from __future__ import annotations

from dataclasses import replace

from ..metric import WordMetric
from .conll import CONLL18

EVALATIN = replace(
    CONLL18,
    name="evalatin",
    title="EvaLatin, dependency parsing",
    citation="Sprugnoli et al. (2024), Overview of the EvaLatin 2024 Evaluation Campaign",
    tokens_given=True,
    definitions={
        "LAS": WordMetric(("head", "relation"), punctuation_option=True),
        "CLAS": WordMetric(("head", "relation"), keep="content"),
        "LAS with subtypes": WordMetric(("head", "full_relation"), punctuation_option=True),
        "CLAS with subtypes": WordMetric(("head", "full_relation"), keep="content"),
        "UAS": WordMetric(("head",), punctuation_option=True),
    },
    main=("LAS",),
    secondary=("CLAS", "LAS with subtypes", "CLAS with subtypes", "UAS"),
    segmentation=(),
    morphology=(),
    breakdown=("LAS", "UAS"),
)
