"""Plank et al. (2015): metrics of whole trees, which were compared with human judgements."""

from __future__ import annotations

from dataclasses import replace

from ...reading.formats import CONLLU
from ..metric import CountMetric, Metric, WordMetric
from ..options import Options
from ..profile import Profile
from ..tree_nodes import count_nodes
from ..whole_trees import (
    complete_predicate,
    correct_sentences,
    labelled_complete_predicate,
    labelled_correct_sentences,
    neutral_edge_direction,
    predicates,
    undirected,
)

WHOLE_TREES: dict[str, Metric] = {
    "UND": WordMetric((undirected,), punctuation_option=True, accuracy=True, trees=True),
    "NED": WordMetric((neutral_edge_direction,), punctuation_option=True, accuracy=True, trees=True),
    "TED": CountMetric(count_nodes, trees=True),
    "LCP": WordMetric((labelled_complete_predicate,), keep=predicates, accuracy=True, trees=True),
    "UCP": WordMetric((complete_predicate,), keep=predicates, accuracy=True, trees=True),
    "USent": CountMetric(correct_sentences, trees=True),
    "LSent": CountMetric(labelled_correct_sentences, trees=True),
}

PLANK15 = Profile(
    name="plank15",
    title="Metrics of whole trees (Plank et al. 2015)",
    citation="Plank et al. (2015), Do dependency parsing metrics correlate with human judgments?",
    # CoNLL-X files have the same columns in the same places.
    format=replace(CONLLU, several_roots=True, title="CoNLL-U or CoNLL-X"),
    options=Options(punctuation="form", subtypes=True),
    definitions={
        "LAS": WordMetric(("head", "relation"), punctuation_option=True, accuracy=True),
        "UAS": WordMetric(("head",), punctuation_option=True, accuracy=True),
        "LA": WordMetric(("relation",), punctuation_option=True, accuracy=True),
        **WHOLE_TREES,
    },
    main=("LAS",),
    secondary=("UAS", "LA", "UND", "NED", "TED", "LCP", "UCP"),
    breakdown=("LAS", "UAS", "LA"),
)
