"""The profiles as tables: metric → keys that must agree, and words that count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..reading.features import UNIVERSAL_FEATURES as UNIVERSAL_FEATURES
from ..reading.treebank import ASCII_SPACE, ZS_SPACES
from .presentation import PRESENTATIONS, Presentation


@dataclass(frozen=True, slots=True)
class Metric:
    """A word metric: aligned pairs are correct if all `keys` agree; only words selected by `keep` count."""

    keys: tuple[str, ...] = ()
    keep: str = "all"
    # Whether the option about punctuation applies: it does to attachment scores over all words.
    punctuation_option: bool = False

    @property
    def is_about_arcs(self) -> bool:
        """Every error in it is a wrong head or relation, apart from words that are not aligned."""
        return bool(self.keys) and set(self.keys) <= {"head", "relation"}


# Tokens and Sentences compare spans, not words, and are not among the word metrics.
SPANS = ("Tokens", "Sentences")

ATTACHMENT = {
    "UAS": Metric(("head",), punctuation_option=True),
    "LAS": Metric(("head", "relation"), punctuation_option=True),
}
LABEL_ACCURACY = Metric(("relation",), punctuation_option=True)


@dataclass(frozen=True, slots=True)
class Profile:
    """A published evaluator: the spaces it removes, its content words, its metrics and their order."""

    name: str
    title: str
    citation: str
    spaces: tuple[bytes, ...]
    word_metrics: Mapping[str, Metric]
    # Each has its own ranking, and all of them are equally important.
    main: tuple[str, ...]
    # The metrics that a leaderboard shows after the main ones, in this order.
    secondary: tuple[str, ...]
    # Metrics of the steps before tagging and of those before parsing; the most informative one first.
    segmentation: tuple[str, ...]
    morphology: tuple[str, ...]
    # The word metrics that a breakdown shows next to the chosen one; the first of them if no other is chosen.
    breakdown: tuple[str, ...]
    # Content relations are those listed, or all but those listed.
    content: frozenset[str]
    content_is_listed: bool
    functional: frozenset[str]
    presentations: Mapping[str, Presentation] = field(default_factory=lambda: PRESENTATIONS)

    @property
    def metrics(self) -> tuple[str, ...]:
        return (*SPANS, *self.word_metrics)

    def displayed_metrics(self, main: Sequence[str] = ()) -> tuple[str, ...]:
        """The metrics of a leaderboard: `main` (by default the profile's own), then the secondary ones."""
        main = tuple(main) or self.main
        return (*main, *(name for name in self.secondary if name not in main))

    def is_content(self, relation: str) -> bool:
        return (relation in self.content) == self.content_is_listed


CONLL17 = Profile(
    name="conll17",
    title="CoNLL 2017 shared task",
    citation="Zeman et al. (2017), CoNLL 2017 Shared Task: Multilingual Parsing from Raw Text to Universal "
    "Dependencies",
    spaces=ASCII_SPACE,
    word_metrics={
        "Words": Metric(),
        "UPOS": Metric(("upos",)),
        "XPOS": Metric(("xpos",)),
        "Feats": Metric(("feats",)),
        "AllTags": Metric(("upos", "xpos", "feats")),
        "Lemmas": Metric(("lemma",)),
        **ATTACHMENT,
        "CLAS": Metric(("head", "relation"), keep="content"),
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
    word_metrics={
        "Words": Metric(),
        "UPOS": Metric(("upos",)),
        "XPOS": Metric(("xpos",)),
        "UFeats": Metric(("universal_feats",)),
        "AllTags": Metric(("upos", "xpos", "universal_feats")),
        "Lemmas": Metric(("lemma_if_gold",)),
        **ATTACHMENT,
        "CLAS": Metric(("head", "relation"), keep="content"),
        "MLAS": Metric(
            ("head", "relation", "upos", "universal_feats", "functional_children"), keep="content"
        ),
        "BLEX": Metric(("head", "relation", "lemma_if_gold"), keep="content"),
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

PROFILES: Mapping[str, Profile] = {profile.name: profile for profile in (CONLL17, CONLL18)}
