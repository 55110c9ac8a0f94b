"""CoNLL 2017 and 2018 as tables: metric → keys that must agree, and words that count."""

from __future__ import annotations

from ...reading.treebank import ASCII_SPACE, ZS_SPACES
from ..metric import SpanMetric, WordMetric
from ..profile import Profile

SPANS = {"Tokens": SpanMetric("tokens"), "Sentences": SpanMetric("sentences")}
ATTACHMENT = {
    "UAS": WordMetric(("head",), punctuation_option=True),
    "LAS": WordMetric(("head", "relation"), punctuation_option=True),
}
LABEL_ACCURACY = WordMetric(("relation",), punctuation_option=True)

CONLL17 = Profile(
    name="conll17",
    title="CoNLL 2017 shared task",
    citation="Zeman et al. (2017), CoNLL 2017 Shared Task: Multilingual Parsing from Raw Text to Universal "
    "Dependencies",
    spaces=ASCII_SPACE,
    definitions={
        **SPANS,
        "Words": WordMetric(),
        "UPOS": WordMetric(("upos",)),
        "XPOS": WordMetric(("xpos",)),
        "Feats": WordMetric(("feats",)),
        "AllTags": WordMetric(("upos", "xpos", "feats")),
        "Lemmas": WordMetric(("lemma",)),
        **ATTACHMENT,
        "CLAS": WordMetric(("head", "relation"), keep="content"),
    },
    main=("LAS",),
    secondary=("CLAS", "Tokens", "Words", "Sentences"),
    segmentation=("Words", "Sentences", "Tokens"),
    morphology=("UPOS", "Feats", "Lemmas"),
    breakdown=("LAS", "UAS"),
    content=frozenset(["aux", "case", "cc", "clf", "cop", "det", "mark", "punct"]),
    content_is_listed=False,
    functional=frozenset(),
)

CONLL18 = Profile(
    name="conll18",
    title="CoNLL 2018 shared task",
    citation="Zeman et al. (2018), CoNLL 2018 Shared Task: Multilingual Parsing from Raw Text to Universal "
    "Dependencies",
    spaces=ZS_SPACES,
    definitions={
        **SPANS,
        "Words": WordMetric(),
        "UPOS": WordMetric(("upos",)),
        "XPOS": WordMetric(("xpos",)),
        "UFeats": WordMetric(("universal_feats",)),
        "AllTags": WordMetric(("upos", "xpos", "universal_feats")),
        "Lemmas": WordMetric(("lemma_if_gold",)),
        **ATTACHMENT,
        "CLAS": WordMetric(("head", "relation"), keep="content"),
        "MLAS": WordMetric(
            ("head", "relation", "upos", "universal_feats", "functional_children"), keep="content"
        ),
        "BLEX": WordMetric(("head", "relation", "lemma_if_gold"), keep="content"),
    },
    main=("LAS", "MLAS", "BLEX"),
    secondary=("CLAS", "Tokens", "Words", "Sentences"),
    segmentation=("Words", "Sentences", "Tokens"),
    morphology=("UPOS", "UFeats", "Lemmas"),
    breakdown=("LAS", "MLAS", "BLEX", "UAS"),
    content=frozenset(
        [
            "nsubj",
            "obj",
            "iobj",
            "csubj",
            "ccomp",
            "xcomp",
            "obl",
            "vocative",
            "expl",
            "dislocated",
            "advcl",
            "advmod",
            "discourse",
            "nmod",
            "appos",
            "nummod",
            "acl",
            "amod",
            "conj",
            "fixed",
            "flat",
            "compound",
            "list",
            "parataxis",
            "orphan",
            "goeswith",
            "reparandum",
            "root",
            "dep",
        ]
    ),
    content_is_listed=True,
    functional=frozenset(["aux", "cop", "mark", "det", "clf", "case", "cc"]),
)
