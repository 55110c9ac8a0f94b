"""The questionnaire about a system: the columns of the table of systems in the CoNLL 2017 overview paper.

Answers are stored by question id, so that labels can be improved later. An id is never reused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Question:
    id: str
    label: str
    head: str
    """A short form of the label, for the head of a column."""
    help: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    """Value and label of each; a question without choices takes a line of text."""
    multiple: bool = False


COMPONENT_CHOICES = (
    ("baseline", "the baseline's, unchanged"),
    ("adapted", "the baseline's, corrected or retrained"),
    ("own", "our own"),
    ("joint", "our own, jointly with parsing"),
    ("none", "none"),
)

QUESTIONS: tuple[Question, ...] = (
    Question(
        id="sentences", label="Sentence segmentation", head="Sentence segmentation", choices=COMPONENT_CHOICES
    ),
    Question(
        id="words",
        label="Word segmentation",
        head="Word segmentation",
        help="Including the splitting of multi-word tokens.",
        choices=COMPONENT_CHOICES,
    ),
    Question(id="tagging", label="Tagging (UPOS, XPOS)", head="Tagging", choices=COMPONENT_CHOICES),
    Question(
        id="morphology",
        label="Morphological features and lemmas",
        head="Morphology",
        choices=COMPONENT_CHOICES,
    ),
    Question(
        id="parser",
        label="Parser",
        head="Parser",
        multiple=True,
        choices=(
            ("graph", "graph-based"),
            ("transition", "transition-based"),
            ("other", "other"),
        ),
    ),
    Question(
        id="combination",
        label="Combination of parsers",
        head="Combination",
        choices=(
            ("single", "a single parser"),
            ("ensemble", "an ensemble of one kind of parser"),
            ("combination", "different kinds of parsers combined"),
            ("chosen", "one parser selected per treebank"),
        ),
    ),
    Question(
        id="embeddings",
        label="Word embeddings",
        head="Embeddings",
        multiple=True,
        choices=(
            ("given", "provided with the task"),
            ("own", "trained by us on raw text"),
            ("random", "learned with the parser only"),
            ("characters", "built from characters or subwords"),
            ("contextual", "from a pre-trained language model"),
            ("none", "none"),
        ),
    ),
    Question(
        id="treebanks",
        label="Training across treebanks",
        head="Treebanks",
        multiple=True,
        choices=(
            ("separate", "one model per treebank"),
            ("language", "all treebanks of a language together"),
            ("family", "related languages together"),
            ("all", "all languages together"),
        ),
    ),
    Question(
        id="low_resource",
        label="Languages with little or no training data",
        head="Low-resource",
        help="For example for surprise languages: delexicalised models, projection, a related language.",
    ),
    Question(
        id="extra_data",
        label="Data in addition to the training treebanks",
        head="Extra data",
        help="Raw text, dictionaries, parallel text, other treebanks, and their sources.",
    ),
    Question(
        id="software", label="Software used", head="Software", help="Toolkits and parsers, with versions."
    ),
    Question(
        id="effort", label="Training and parsing effort", head="Effort", help="Hardware and hours, if known."
    ),
)


def answered_questions(answers: dict[str, Any]) -> list[tuple[Question, str]]:
    """The answered questions, with their answers as text. Removed questions are left out."""
    answered = []
    for question in QUESTIONS:
        answer = answers.get(question.id)
        labels = dict(question.choices)
        values = answer if isinstance(answer, list) else [answer] if answer else []
        texts = [labels.get(value, "") if labels else str(value) for value in values]
        if any(texts):
            answered.append((question, ", ".join(text for text in texts if text)))
    return answered
