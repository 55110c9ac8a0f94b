"""IWPT 2020 and 2021: enhanced dependencies, and everything of CoNLL 2018."""

from __future__ import annotations

from dataclasses import replace

from ...reading.formats import CONLLU
from ..enhanced_edges import labelled_edges, universal_edges
from ..metric import CountMetric
from .conll import CONLL18

IWPT21 = replace(
    CONLL18,
    name="iwpt21",
    title="IWPT 2021 shared task",
    citation="Bouma et al. (2021), From Raw Text to Enhanced Universal Dependencies: The Parsing "
    "Shared Task at IWPT 2021",
    format=replace(CONLLU, title="CoNLL-U with enhanced graphs", enhanced=True),
    definitions={
        **CONLL18.definitions,
        "ELAS": CountMetric(labelled_edges),
        "EULAS": CountMetric(universal_edges),
    },
    main=("ELAS",),
    secondary=("EULAS", "LAS", "MLAS", "BLEX", "CLAS", "Tokens", "Words", "Sentences"),
    breakdown=("LAS", "MLAS", "BLEX", "UAS"),
)
