"""PASCAL 2012: induction of parts of speech, of dependencies, and of both together."""

from __future__ import annotations

from ...reading.formats import NINE_COLUMNS
from ..clusterings import (
    fine_table,
    many_to_one,
    one_to_one,
    one_to_one_optimal,
    universal_table,
    v_measure,
    variation_of_information,
)
from ..induced_trees import (
    LONGEST_ARC,
    arc_distances,
    directed,
    neutral_edge_direction,
    remaining_words,
    short_sentences,
    undirected,
)
from ..metric import Metric, TableMetric, WordMetric
from ..presentation import Presentation
from ..profile import Profile

_RULES = {
    "M-1": (many_to_one, "words that are correct if each class gets its most frequent tag"),
    "1-1": (one_to_one, "words that are correct if classes and tags are paired greedily"),
    "1-1 (optimal)": (
        one_to_one_optimal,
        "words that are correct if classes and tags are paired optimally",
    ),
    "VM": (v_measure, "harmonic mean of the homogeneity and completeness of the classes"),
    "VI": (variation_of_information, "bits of information that classes and tags do not share"),
}
_ARCS = {
    "Directed": (directed, "words with the correct head"),
    "Undirected": (undirected, "words with the correct head, or with that arc reversed"),
    "NED": (neutral_edge_direction, "words with an arc to or from their head, or to the head of their head"),
}
_SHORT = " (≤ 10)"


def _needs(rule: object) -> str:
    return "scipy" if rule is one_to_one_optimal else ""


_EVERY_TAG: dict[str, TableMetric] = {
    **{name: TableMetric("universal", rule, _needs(rule)) for name, (rule, _) in _RULES.items()},
    **{f"{name} fine": TableMetric("fine", rule, _needs(rule)) for name, (rule, _) in _RULES.items()},
}
# These need a package that not everybody has.
OPTIMAL = {
    name: metric for name, metric in _EVERY_TAG.items() if isinstance(metric, TableMetric) and metric.needs
}
TAGS = {name: metric for name, metric in _EVERY_TAG.items() if name not in OPTIMAL}
DEPENDENCIES: dict[str, Metric] = {
    **{
        name: WordMetric((key,), remaining_words, accuracy=True, trees=True)
        for name, (key, _) in _ARCS.items()
    },
    **{
        f"{name}{_SHORT}": WordMetric((key,), short_sentences, accuracy=True, trees=True)
        for name, (key, _) in _ARCS.items()
    },
}


def _presentations() -> dict[str, Presentation]:
    presentations = {}
    for name, (_, explanation) in _RULES.items():
        for suffix, tags in (("", "universal tags"), (" fine", "fine tags")):
            text = f"{explanation}, against {tags}"
            bits = Presentation(explanation=text, kind="bits", factor=1, digits=2, better="lower")
            kind = "V-measure" if name == "VM" else "accuracy"
            presentations[name + suffix] = bits if name == "VI" else Presentation(explanation=text, kind=kind)
    for name, (_, explanation) in _ARCS.items():
        for suffix, sentences in (("", ""), (_SHORT, ", in sentences of at most ten words")):
            presentations[name + suffix] = Presentation(explanation=explanation + sentences, kind="accuracy")
    return presentations


PASCAL12 = Profile(
    name="pascal12",
    title="PASCAL Challenge on Grammar Induction (2012)",
    citation="Gelling et al. (2012), The PASCAL Challenge on Grammar Induction",
    format=NINE_COLUMNS,
    tokens_given=True,
    missing="exclude",
    tables={"universal": universal_table, "fine": fine_table},
    definitions={**DEPENDENCIES, **TAGS},
    optional=OPTIMAL,
    main=("Directed",),
    secondary=("Undirected", "NED", "VM", "VI", "M-1", "1-1"),
    breakdown=("Directed", "Undirected", "NED"),
    # Classes have names of their own, and relations are not induced.
    displayed=("head",),
    distances=arc_distances,
    arc_lengths=tuple(range(1, LONGEST_ARC + 2)),
    presentations=_presentations(),
    tracks={
        "tags": ("VM", "VI", "M-1", "1-1"),
        "dependencies": ("Directed", "Undirected", "NED"),
        "joint": ("Directed", "Undirected", "NED"),
    },
)
