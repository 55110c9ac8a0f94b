"""A trained model: one of the two decoders and the relations, as a single file."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from .conllu import Sentence
from .constraints import SentenceConstraints
from .graph import GraphParser, GraphTrainer
from .perceptron import Weights
from .projective import is_tree, make_projective
from .relations import Labeller, LabelTrainer
from .transition import WIDTH, TransitionParser, TransitionTrainer

DECODERS = ("graph", "transition")
ROUNDS = 6
_FORMAT = "sapling 1"


class Model:
    def __init__(
        self, decoder: str, arcs: Weights, names: Sequence[str], relations: Weights, width: int = WIDTH
    ) -> None:
        self.decoder = decoder
        self._arcs, self._names, self._relations = arcs, list(names), relations
        self._parser = GraphParser(arcs) if decoder == "graph" else TransitionParser(arcs, width)
        self._labeller = Labeller(names, relations)

    def parse(self, sentence: Sentence, constraints: SentenceConstraints | None = None) -> str:
        """The parsed sentence as text.

        If no tree that keeps the constraints is found, the result is the tree without constraints: an output
        needs a tree for every sentence, and whoever set the constraints sees that they were not kept.
        """
        heads = None
        if constraints is not None and constraints.any:
            heads = self._parser.parse(sentence, constraints.heads)
        is_constrained = heads is not None
        if heads is None:
            heads = self._parser.parse(sentence)
        assert heads is not None
        relations = self._labeller.label(sentence, heads)
        if constraints is not None and is_constrained:
            relations = constraints.relabel(relations)
        return sentence.with_tree(heads, relations)

    def save(self, path: Path) -> None:
        about = json.dumps({"format": _FORMAT, "decoder": self.decoder, "relations": self._names})
        arrays = _sparse("arcs", self._arcs) | _sparse("relations", self._relations)
        with path.open("wb") as file:
            np.savez_compressed(file, about=np.array(about), **arrays)  # type: ignore[arg-type]

    @classmethod
    def load(cls, path: Path, width: int = WIDTH) -> Model:
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
                about = json.loads(str(stored["about"]))
                arcs, relations = _dense("arcs", stored), _dense("relations", stored)
        except (ValueError, KeyError, EOFError, BadZipFile) as error:
            # numpy's own messages are about its format, and advise to trust the file.
            raise ValueError(f"{path} is not a model of Sapling, or is damaged") from error
        if about.get("format") != _FORMAT:
            raise ValueError(f"{path} is a model of another version of Sapling")
        return cls(about["decoder"], arcs, about["relations"], relations, width)


def _sparse(name: str, weights: Weights) -> dict[str, Weights]:
    """Most weights are zero, and only the others are stored."""
    places = np.flatnonzero(weights)
    shape = np.array(weights.shape)
    return {f"{name}_shape": shape, f"{name}_places": places, name: weights.ravel()[places]}


def _dense(name: str, stored: Mapping[str, Weights]) -> Weights:
    weights = np.zeros(stored[f"{name}_shape"], dtype=np.int64)
    weights.flat[stored[f"{name}_places"]] = stored[name]
    return weights


def train(
    sentences: Sequence[Sentence],
    decoder: str,
    *,
    seed: int = 1,
    rounds: int = ROUNDS,
    width: int = WIDTH,
    report: Callable[[str], None] = lambda line: None,
) -> Model:
    """Train a model: `rounds` times over all sentences, each time in another order.

    Sentences that are no trees with one root are left out.
    """
    usable = [sentence for sentence in sentences if is_tree(sentence.heads)]
    if not usable:
        raise ValueError("there are no sentences to train on: none is a tree with one root")
    if len(usable) < len(sentences):
        report(f"{len(sentences) - len(usable)} sentences are left out: they are no trees with one root")
    sentences = usable
    trees = [make_projective(sentence.heads) for sentence in sentences]
    arcs = GraphTrainer() if decoder == "graph" else TransitionTrainer(width)
    labels = LabelTrainer(sentences)
    order = list(range(len(sentences)))
    shuffle = random.Random(seed).shuffle
    for number in range(1, rounds + 1):
        shuffle(order)
        for place in order:
            arcs.learn(sentences[place], trees[place])
            labels.learn(sentences[place])
        report(f"round {number} of {rounds}")
    return Model(decoder, arcs.weights(), labels.names, labels.weights(), width)
