"""The transition-based decoder: arc-eager transitions, of which a beam keeps the best sequences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .arceager import LEFTMOST, RIGHTMOST, TRANSITIONS, Beam, Constraints, Ints, oracle
from .attributes import ATTRIBUTES, BETWEEN, PAIR_VALUES, attributes, pair_values
from .conllu import UNKNOWN, Sentence
from .eisner import FORBIDDEN, Scores
from .perceptron import Perceptron, Weights
from .templates import Places, Templates

BITS = 19
WIDTH = 16
"""How many states the beam keeps."""

_HAS_HEAD = "has-head"
_SLOTS = ("s", "under", "head", "sl", "sr", "n", "n1", "n2", "nl")
"""Top of the stack, the word under it, its head, its outermost children; the buffer, its leftmost child."""

TEMPLATES = (
    "s.form s.upos",
    "s.lemma s.upos",
    "s.upos",
    "s.morph",
    "n.form n.upos",
    "n.lemma n.upos",
    "n.upos",
    "n.morph",
    "n1.lemma n1.upos",
    "n1.upos",
    "n2.upos",
    "s.lemma s.upos n.lemma n.upos",
    "s.lemma s.upos n.upos",
    "s.upos n.lemma n.upos",
    "s.lemma n.lemma",
    "s.upos n.upos",
    "s.tag n.tag",
    "s.morph n.morph",
    "s.kind n.kind",
    "s.kind n.lemma",
    "s.lemma n.kind",
    "s.upos n.upos s.agreement n.agreement",
    "s.upos n.upos n1.upos",
    "n.upos n1.upos n2.upos",
    "n.upos n1.upos",
    "s.kind n.kind n1.kind",
    "head.upos s.upos n.upos",
    "head.kind s.kind n.kind",
    "s.upos sl.upos n.upos",
    "s.upos sr.upos n.upos",
    "s.upos n.upos nl.upos",
    "s.kind sr.lemma n.kind",
    "s.kind sl.lemma n.kind",
    "s.kind n.kind nl.lemma",
    "under.upos s.upos n.upos",
    "under.kind s.kind n.kind",
    "under.upos s.upos n.upos has-head",
    "under.lemma s.upos n.upos",
    "s.upos n.upos direction",
    "s.upos n.upos distance",
    "s.kind n.kind distance",
    "s.lemma n.upos distance",
    "s.upos n.lemma distance",
    "s.before s.upos n.upos n.before",
    "s.upos s.after n.upos n.after",
    "s.before s.after n.before n.after",
    "s.upos n.upos has-head",
    "s.lemma has-head",
    "s.kind n.kind n1.upos has-head",
    "s.upos n.upos sl.upos sr.upos",
    *(f"s.upos n.upos {count}" for count in BETWEEN),
    f"s.upos n.upos {BETWEEN[0]} {BETWEEN[1]}",
    f"s.kind n.kind {BETWEEN[0]} {BETWEEN[3]} has-head",
)


class StateFeatures:
    """The places of the features of states of one sentence: `of(beam)[template, state]`."""

    def __init__(self, templates: Templates, sentence: Sentence) -> None:
        self._templates = templates
        self._values, self._pairs = attributes(sentence), pair_values(sentence)
        own = [term for term in templates.terms if "." in term]
        slots, names = zip(*(term.split(".") for term in own), strict=True)
        self._slot = np.array([_SLOTS.index(slot) for slot in slots])
        self._attribute = np.array([ATTRIBUTES.index(name) for name in names])[:, np.newaxis]
        self._multipliers = templates.columns([*own, *PAIR_VALUES, _HAS_HEAD])

    def of(self, beam: Beam) -> Places:
        places = self._places(beam)
        top, head, front = places[0], places[2], places[5]
        own = self._values[self._attribute, places[self._slot]]
        has_head = (head <= beam.words).astype(np.uint64)
        values = np.concatenate([own, self._pairs[:, top, front], has_head[np.newaxis]])
        return self._templates.places(self._multipliers @ values)

    def _places(self, beam: Beam) -> Ints:
        """The place of the word in every slot of every state; the last place stands for none."""
        none, rows = beam.words + 1, beam.rows
        top, front = beam.top, beam.front
        slots = (
            top,
            beam.stack[rows, np.maximum(beam.size - 1, 0)],
            beam.heads[rows, top],
            beam.tables[rows, LEFTMOST, top],
            beam.tables[rows, RIGHTMOST, top],
            front,
            front + 1,
            front + 2,
            beam.tables[rows, LEFTMOST, front],
        )
        places = np.array(slots)
        places[(places == 0) | (places > none)] = none
        return places


@dataclass(frozen=True)
class Step:
    """What the beam kept: for each state the one before and the transition; the features of those before."""

    features: Places
    before: Ints
    transitions: Ints


def extend(
    beam: Beam, scores: Scores, places: Places, weights: Weights, width: int, constraints: Constraints | None
) -> tuple[Beam, Scores, Step] | None:
    """The best states after one more transition; None if there are none."""
    candidates = scores[:, np.newaxis] + weights[places].sum(axis=0)
    candidates = np.where(beam.allowed(constraints), candidates, FORBIDDEN).ravel()
    # A stable order, so that equal scores always give the same tree.
    best = np.argsort(-candidates, kind="stable")[:width]
    best = best[candidates[best] > FORBIDDEN]
    if not len(best):
        return None
    before, transitions = np.divmod(best, TRANSITIONS)
    return beam.follow(before, transitions), candidates[best], Step(places, before, transitions)


class TransitionParser:
    def __init__(self, weights: Weights, width: int = WIDTH) -> None:
        self._weights, self._width = weights, width
        self._templates = Templates(TEMPLATES, BITS)

    def parse(self, sentence: Sentence, constraints: Sequence[int] = ()) -> list[int] | None:
        """The heads of the best tree in the beam; None if no state keeps the constraints."""
        limits = Constraints(constraints) if any(head != UNKNOWN for head in constraints) else None
        features = StateFeatures(self._templates, sentence)
        beam, scores = Beam.start(len(sentence)), np.zeros(1, dtype=np.int64)
        for _ in range(2 * len(sentence) - 1):
            extended = extend(beam, scores, features.of(beam), self._weights, self._width, limits)
            if extended is None:
                return None
            beam, scores, _ = extended
        heads: list[int] = beam.heads[0, 1:-1].tolist()
        return heads


class TransitionTrainer:
    """Trains the weights of transitions, one sentence at a time, at the step where the beam is most wrong."""

    def __init__(self, width: int = WIDTH) -> None:
        self._width = width
        self._perceptron = Perceptron(1 << BITS, TRANSITIONS)
        self._templates = Templates(TEMPLATES, BITS)
        # The right sequence of transitions has the same features in every round.
        self._right: dict[Sentence, tuple[Ints, Places]] = {}

    def learn(self, sentence: Sentence, gold: Sequence[int]) -> None:
        features = StateFeatures(self._templates, sentence)
        if sentence not in self._right:
            self._right[sentence] = _follow(features, oracle(gold), len(sentence))
        transitions, places = self._right[sentence]
        weights = self._perceptron.weights
        right_scores = np.cumsum(weights[places, transitions].sum(axis=0))
        beam, scores = Beam.start(len(sentence)), np.zeros(1, dtype=np.int64)
        is_right, steps = np.ones(1, dtype=bool), []
        worst = most = 0
        for number, transition in enumerate(transitions):
            extended = extend(beam, scores, features.of(beam), weights, self._width, None)
            assert extended is not None
            beam, scores, step = extended
            steps.append(step)
            is_right = is_right[step.before] & (step.transitions == transition)
            excess = int(scores[0] - right_scores[number])
            if not is_right[0] and excess >= most:
                worst, most = number + 1, excess
        if worst:
            self._update(places[:, :worst], transitions[:worst], steps[:worst])
        self._perceptron.next()

    def _update(self, places: Places, right: Ints, steps: Sequence[Step]) -> None:
        """Reward the right transitions, punish those of the best state after these steps."""
        self._perceptron.add((places, right), 1)
        state, wrong, taken = 0, [], []
        for step in reversed(steps):
            taken.append(step.transitions[state])
            state = int(step.before[state])
            wrong.append(step.features[:, state])
        self._perceptron.add((np.array(wrong).T, np.array(taken)), -1)

    def weights(self) -> Weights:
        return self._perceptron.averaged()


def _follow(features: StateFeatures, transitions: Sequence[int], words: int) -> tuple[Ints, Places]:
    """The transitions and, for each, the features of the state before it."""
    beam, places = Beam.start(words), []
    for transition in transitions:
        places.append(features.of(beam)[:, 0])
        beam = beam.follow(np.zeros(1, dtype=np.int64), np.array([transition]))
    return np.array(transitions), np.array(places).T
