"""Relations: chosen for each arc of a finished tree, by the same features for both decoders."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .attributes import ATTRIBUTES, PAIR_VALUES, attributes, pair_values
from .conllu import ROOT, Sentence
from .perceptron import Perceptron, Weights
from .templates import Places, Templates

BITS = 16
ROOT_RELATION = "root"
_SLOTS = ("h", "c", "cl", "cr", "hh")
"""The head, the child, the child's outermost children, the head of the head."""
TEMPLATES = (
    "c.form",
    "c.lemma c.upos",
    "c.upos",
    "c.morph",
    "c.tag",
    "h.lemma c.upos direction",
    "h.upos c.upos direction",
    "h.upos c.upos distance",
    "h.upos c.lemma direction",
    "h.kind c.kind direction",
    "h.morph c.morph direction",
    "h.upos c.morph direction",
    "h.lemma c.lemma",
    "h.lemma c.kind",
    "c.before c.upos c.after direction",
    "h.before h.upos h.after c.upos",
    "h.upos c.upos cl.upos direction",
    "h.upos c.upos cr.upos direction",
    "h.upos c.upos cl.lemma direction",
    "c.upos cl.lemma cr.upos",
    "h.upos c.kind cl.kind direction",
    "hh.upos h.upos c.upos direction",
    *(f"h.upos c.upos direction {count}" for count in PAIR_VALUES[2:]),
)


class ArcFeatures:
    """The places of the features of the arcs of a tree: `of(sentence, heads)[template, word]`."""

    def __init__(self) -> None:
        self._templates = Templates(TEMPLATES, BITS)
        own = [term for term in self._templates.terms if "." in term]
        slots, names = zip(*(term.split(".") for term in own), strict=True)
        self._slot = np.array([_SLOTS.index(slot) for slot in slots])
        self._attribute = np.array([ATTRIBUTES.index(name) for name in names])[:, np.newaxis]
        self._multipliers = self._templates.columns([*own, *PAIR_VALUES])

    def of(self, sentence: Sentence, heads: Sequence[int]) -> Places:
        words = np.arange(1, len(sentence) + 1)
        none = len(sentence) + 1
        head = np.array(heads)
        leftmost, rightmost = np.full((2, none + 1), none)
        for word in words[::-1]:
            leftmost[head[word - 1]] = word
        for word in words:
            rightmost[head[word - 1]] = word
        grandparent = np.array([none, *heads])[head]
        places = np.array([head, words, leftmost[words], rightmost[words], grandparent])
        own = attributes(sentence)[self._attribute, places[self._slot]]
        pairs = pair_values(sentence)[:, head, words]
        return self._templates.places(self._multipliers @ np.concatenate([own, pairs]))


class Labeller:
    def __init__(self, names: Sequence[str], weights: Weights) -> None:
        self._names, self._weights = list(names), weights
        self._features = ArcFeatures()

    def label(self, sentence: Sentence, heads: Sequence[int]) -> list[str]:
        """The best relation of every arc; `root` for the root and for nothing else."""
        scores = self._weights[self._features.of(sentence, heads)].sum(axis=0)
        best = [self._names[code] for code in np.argmax(scores, axis=1)]
        return [ROOT_RELATION if head == ROOT else name for head, name in zip(heads, best, strict=True)]


class LabelTrainer:
    """Trains the weights of relations on the arcs of right trees."""

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        used = {name for sentence in sentences for name in sentence.relations}
        self.names = sorted(used - {ROOT_RELATION}) or [ROOT_RELATION]
        self._code = {name: code for code, name in enumerate(self.names)}
        self._perceptron = Perceptron(1 << BITS, len(self.names))
        self._features = ArcFeatures()

    def learn(self, sentence: Sentence) -> None:
        heads = sentence.heads
        # The relation of the root needs no choice.
        words = [n for n, name in enumerate(sentence.relations) if heads[n] != ROOT and name in self._code]
        if words:
            gold = np.array([self._code[sentence.relations[n]] for n in words])
            places = self._features.of(sentence, heads)[:, words]
            guess = np.argmax(self._perceptron.weights[places].sum(axis=0), axis=1)
            wrong = gold != guess
            for codes, amount in ((gold, 1), (guess, -1)):
                self._perceptron.add((places[:, wrong], codes[wrong]), amount)
        self._perceptron.next()

    def weights(self) -> Weights:
        return self._perceptron.averaged()
