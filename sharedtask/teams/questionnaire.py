"""What teams are asked about a system: the columns of the table of systems in the CoNLL 2017 overview paper.

One table. Answers are kept by a question's id, so that the words may be mended later; an id is never reused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Question:
    id: str
    label: str
    help: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    """Value and words of each; a question without choices takes a line of text."""
    several: bool = False


USED_AS_GIVEN = (
    ("baseline", "the baseline's, as given"),
    ("adapted", "the baseline's, corrected or retrained"),
    ("own", "our own"),
    ("joint", "our own, jointly with parsing"),
    ("none", "none"),
)

QUESTIONS: tuple[Question, ...] = (
    Question(id="sentences", label="Sentence segmentation", choices=USED_AS_GIVEN),
    Question(
        id="words",
        label="Word segmentation",
        help="With the splitting of multi-word tokens.",
        choices=USED_AS_GIVEN,
    ),
    Question(id="tagging", label="Tagging (UPOS, XPOS)", choices=USED_AS_GIVEN),
    Question(id="morphology", label="Morphological features and lemmas", choices=USED_AS_GIVEN),
    Question(
        id="parser",
        label="Parser",
        several=True,
        choices=(
            ("graph", "graph-based"),
            ("transition", "transition-based"),
            ("other", "of another kind"),
        ),
    ),
    Question(
        id="combination",
        label="Combination of parsers",
        choices=(
            ("single", "a single parser"),
            ("ensemble", "an ensemble of the same kind"),
            ("combination", "parsers of several kinds"),
            ("chosen", "one parser chosen for each treebank"),
        ),
    ),
    Question(
        id="embeddings",
        label="Word embeddings",
        several=True,
        choices=(
            ("given", "those provided with the task"),
            ("own", "trained by us on raw text"),
            ("random", "learnt with the parser only"),
            ("characters", "made from characters or subwords"),
            ("contextual", "from a pre-trained language model"),
            ("none", "none"),
        ),
    ),
    Question(
        id="treebanks",
        label="Training across treebanks",
        several=True,
        choices=(
            ("separate", "one model for each treebank"),
            ("language", "treebanks of a language together"),
            ("family", "related languages together"),
            ("all", "all languages together"),
        ),
    ),
    Question(
        id="low_resource",
        label="Languages with little or no training data",
        help="Surprise languages, say: delexicalised models, projection, a related language.",
    ),
    Question(
        id="extra_data",
        label="Data besides the training treebanks",
        help="Raw text, dictionaries, parallel text, other treebanks; and where they come from.",
    ),
    Question(id="software", label="Software it builds on", help="Toolkits and parsers, with versions."),
    Question(id="effort", label="Training and parsing", help="Hardware and hours, as far as you know them."),
)


def answers_shown(answers: dict[str, Any]) -> list[tuple[Question, str]]:
    """The answered questions in the table's order, in words; what an old version asked is left out."""
    shown = []
    for question in QUESTIONS:
        given = answers.get(question.id)
        words = dict(question.choices)
        values = given if isinstance(given, list) else [given] if given else []
        texts = [words.get(value, "") if words else str(value) for value in values]
        if any(texts):
            shown.append((question, ", ".join(text for text in texts if text)))
    return shown
