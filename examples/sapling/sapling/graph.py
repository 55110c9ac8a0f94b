"""The graph-based decoder: every arc has a score of its own, and Eisner's algorithm finds the best tree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .attributes import ATTRIBUTES, BETWEEN, PAIR_VALUES, attributes, pair_values
from .conllu import UNKNOWN, Sentence
from .eisner import FORBIDDEN, Scores, best_tree
from .perceptron import Perceptron, Weights
from .templates import Places, Templates

BITS = 21
_ARC = (
    "h.lemma h.upos",
    "h.form",
    "h.upos",
    "h.morph",
    "c.lemma c.upos",
    "c.form",
    "c.upos",
    "c.morph",
    "h.lemma h.upos c.lemma c.upos",
    "h.upos c.lemma c.upos",
    "h.lemma h.upos c.upos",
    "h.lemma c.lemma",
    "h.upos c.upos",
    "h.tag c.tag",
    "h.morph c.morph",
    "h.kind c.kind",
    "h.upos c.morph",
    "h.morph c.upos",
    "h.kind c.lemma c.upos",
    "h.lemma h.upos c.kind",
    "h.upos c.upos h.agreement c.agreement",
    "h.upos h.after c.before c.upos",
    "h.before h.upos c.before c.upos",
    "h.upos h.after c.upos c.after",
    "h.before h.upos c.upos c.after",
    "h.upos h.after c.upos",
    "h.before h.upos c.upos",
    "h.upos c.before c.upos",
    "h.upos c.upos c.after",
    "h.kind c.kind c.before c.after",
    "h.kind c.kind h.before h.after",
)
TEMPLATES = (
    *(f"{template} direction" for template in _ARC),
    *(f"{template} distance" for template in _ARC),
    *(f"h.upos c.upos direction {count}" for count in BETWEEN),
    f"h.upos c.upos direction {BETWEEN[0]} {BETWEEN[1]}",
    f"h.kind c.kind direction {BETWEEN[0]} {BETWEEN[3]}",
    f"h.upos c.upos distance {BETWEEN[1]} {BETWEEN[2]}",
)
_HEAD = tuple(f"h.{name}" for name in ATTRIBUTES)
_CHILD = tuple(f"c.{name}" for name in ATTRIBUTES)


class ArcFeatures:
    """The places of the features of all arcs of a sentence: `of(sentence)[template, head, child]`."""

    def __init__(self) -> None:
        self._templates = Templates(TEMPLATES, BITS)
        self._head, self._child, self._pair = map(self._templates.columns, (_HEAD, _CHILD, PAIR_VALUES))

    def of(self, sentence: Sentence) -> Places:
        words = len(sentence) + 1
        values = attributes(sentence)[:, :words]
        pairs = pair_values(sentence)[:, :words, :words].reshape(len(PAIR_VALUES), -1)
        both = (self._pair @ pairs).reshape(-1, words, words)
        both += (self._head @ values)[:, :, np.newaxis]
        both += (self._child @ values)[:, np.newaxis, :]
        return self._templates.places(both)


def allow(scores: Scores, heads: Sequence[int]) -> Scores:
    """The scores, with every other head of a constrained word forbidden."""
    allowed = scores.copy()
    for child, head in enumerate(heads, 1):
        if head != UNKNOWN:
            allowed[:, child] = FORBIDDEN
            allowed[head, child] = scores[head, child]
    return allowed


class GraphParser:
    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._features = ArcFeatures()

    def scores(self, sentence: Sentence) -> Scores:
        total: Scores = self._weights[self._features.of(sentence)].sum(axis=0)
        return total

    def parse(self, sentence: Sentence, constraints: Sequence[int] = ()) -> list[int] | None:
        """The heads of the best tree that keeps the constraints; None if there is no projective one."""
        scores = self.scores(sentence)
        return best_tree(allow(scores, constraints) if constraints else scores)


class GraphTrainer:
    """Trains the weights of arcs, one sentence at a time."""

    # What a wrong arc scores in addition while training, so that the right tree wins by a margin.
    margin = 2

    def __init__(self) -> None:
        self._perceptron = Perceptron(1 << BITS)
        self._features = ArcFeatures()

    def learn(self, sentence: Sentence, gold: Sequence[int]) -> None:
        places = self._features.of(sentence)
        children = np.arange(1, len(sentence) + 1)
        scores = self._perceptron.weights[places].sum(axis=0) + self.margin
        scores[list(gold), children] -= self.margin
        guess = best_tree(scores)
        assert guess is not None
        wrong = np.array(gold) != np.array(guess)
        if wrong.any():
            for heads, amount in ((gold, 1), (guess, -1)):
                self._perceptron.add(places[:, np.array(heads)[wrong], children[wrong]], amount)
        self._perceptron.next()

    def weights(self) -> Weights:
        return self._perceptron.averaged()
