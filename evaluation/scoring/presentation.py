"""How the figures of a metric are read and printed: direction, number of digits, meaning.

All code that prints, sorts or highlights figures uses this, so that no page refers to a metric by its name.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Presentation:
    """`explanation` completes the sentence "The metric counts …".

    >>> accuracy = Presentation(explanation="words with the correct head")
    >>> accuracy.text(0.76304), accuracy.scale, accuracy.best([0.5, 0.75])
    ('76.30', 'F1 × 100', 0.75)
    >>> bits = Presentation(explanation="", kind="bits", factor=1, digits=3, better="lower")
    >>> bits.text(1.5), bits.scale, bits.best([0.5, 0.75]), bits.advantage(0.5, 0.75)
    ('1.500', 'bits', 0.5, 0.25)
    >>> accuracy.decimals, accuracy.unit, bits.decimals, bits.worse_word
    (4, 'points', 3, 'above')
    """

    explanation: str
    better: Literal["higher", "lower"] = "higher"
    kind: str = "F1"
    # Figures are multiplied by this before they are printed.
    factor: int = 100
    digits: int = 2
    # What a sentence is in which everything counted is correct, if there is a word for it.
    complete: str = ""

    @property
    def scale(self) -> str:
        return self.kind if self.factor == 1 else f"{self.kind} × {self.factor}"

    @property
    def decimals(self) -> int:
        """Of the figure itself, before it is multiplied: as many as are printed."""
        return self.digits + len(str(self.factor)) - 1

    @property
    def unit(self) -> str:
        """Of differences: `points` on a scale of 100. Other scales have no word for it."""
        return "points" if self.factor == 100 else ""

    @property
    def worse_word(self) -> str:
        """Where a worse figure is."""
        return "below" if self.better == "higher" else "above"

    @property
    def best_word(self) -> str:
        return "highest" if self.better == "higher" else "lowest"

    @property
    def worst_word(self) -> str:
        return "lowest" if self.better == "higher" else "highest"

    def text(self, figure: float) -> str:
        """The figure as it is printed; `–` where there is none."""
        return "–" if figure != figure else f"{self.factor * figure:.{self.digits}f}"

    @property
    def sign(self) -> int:
        """Multiplied by this, the larger of two figures is the better one."""
        return 1 if self.better == "higher" else -1

    def signed_text(self, difference: float) -> str:
        return f"{self.factor * difference:+.{self.digits}f}"

    def rounded(self, figure: float) -> float:
        """As printed, for charts."""
        return round(self.factor * figure, self.digits)

    def sort_key(self, figure: float) -> float:
        """A sort key that puts the best figure first, and those that do not exist last."""
        if figure != figure:
            return math.inf
        return -figure if self.better == "higher" else figure

    def advantage(self, figure: float, other: float) -> float:
        """How much better a figure is than another one; negative if it is worse."""
        return figure - other if self.better == "higher" else other - figure

    def best(self, figures: Iterable[float]) -> float:
        return min(figures, key=self.sort_key)

    def same(self, figure: float, other: float) -> bool:
        """Equal as printed."""
        return self.text(figure) == self.text(other)


PLAIN = Presentation(explanation="")
"""F1 of an unspecified metric."""

_COMPLETE = {"UCP": "every predicate complete", "LCP": "every predicate complete, with its relations"}

PRESENTATIONS: Mapping[str, Presentation] = {
    name: Presentation(explanation=explanation)
    for name, explanation in {
        "Tokens": "tokens with the correct boundaries",
        "Sentences": "sentences with the correct boundaries",
        "Words": "words that are segmented correctly",
        "UPOS": "words with the correct universal part-of-speech tag",
        "XPOS": "words with the correct language-specific tag",
        "Feats": "words with the correct morphological features",
        "UFeats": "words with the correct universal morphological features",
        "AllTags": "words with the correct tags and features",
        "Lemmas": "words with the correct lemma",
        "UAS": "words with the correct head",
        "LAS": "words with the correct head and relation",
        "LA": "words with the correct relation",
        "CLAS": "content words with the correct head and relation",
        "MLAS": "content words with the correct head, relation, tag, features and function words",
        "BLEX": "content words with the correct head, relation and lemma",
        "LAS with subtypes": "words with the correct head and relation, subtypes included",
        "CLAS with subtypes": "content words with the correct head and relation, subtypes included",
        "ELAS": "edges of the enhanced graph with the correct head and label",
        "EULAS": "edges of the enhanced graph with the correct head and label without subtypes",
    }.items()
} | {
    name: Presentation(explanation=explanation, kind=kind, complete=_COMPLETE.get(name, ""))
    for name, kind, explanation in (
        ("UND", "accuracy", "words with the correct head, or with that arc reversed"),
        (
            "NED",
            "accuracy",
            "words with an arc to or from their head, or to the head of their head",
        ),
        ("TED", "similarity", "nodes that both trees share: spans of words with a relation"),
        ("LCP", "accuracy", "verbs that have exactly the correct children with the correct relations"),
        ("UCP", "accuracy", "verbs that have exactly the correct children"),
        ("USent", "accuracy", "sentences in which every word has the correct head"),
        ("LSent", "accuracy", "sentences in which every word has the correct head and relation"),
    )
}
