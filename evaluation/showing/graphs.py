"""Enhanced graphs as objects, for the few sentences that are displayed: words, empty nodes, and all edges.

In: a `Comparison`, or one file, and a gold sentence. Out: `Graph`s. An edge is wrong if what it stands for is
not in the other file: itself, or every path through empty nodes that ends with it, as ELAS counts them. Edges
to empty nodes are not judged alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..reading.enhanced import Edge, GraphSentence, paths_to_empty_nodes, read_sentences
from ..reading.layout import FORM, UPOS
from ..reading.treebank import Treebank
from ..reading.trees import ROOT
from ..scoring.compare import Comparison

# Whether an edge of a word, both counted over the file, is not in the other file.
Judge = Callable[[int, Edge], bool]


@dataclass(frozen=True, slots=True)
class Node:
    id: str
    form: str
    upos: str

    @property
    def is_empty(self) -> bool:
        """Whether it stands for something that is not in the text."""
        return "." in self.id


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """From a node, or from the root, to a node; nodes are counted from 0."""

    head: int
    dependent: int
    label: str
    is_wrong: bool = False


@dataclass(frozen=True, slots=True)
class Graph:
    nodes: tuple[Node, ...]
    edges: tuple[GraphEdge, ...]


def single_graph(treebank: Treebank, sentence: int) -> Graph:
    return _graph(treebank, range(sentence, sentence + 1), None)


def compared_graphs(comparison: Comparison, sentence: int) -> tuple[Graph, Graph]:
    """Of a gold sentence, and of the system's sentences that share a character with it."""
    gold, system = comparison.gold, comparison.system
    of_gold: list[set[Edge]] = [set(edges) for edges in gold.enhanced.edges]
    carried: list[set[Edge]] = [set() for _ in range(gold.words)]
    gold_of = comparison.gold_of
    for g, s in zip(comparison.alignment.gold.tolist(), comparison.alignment.system.tolist(), strict=True):
        for head, label in system.enhanced.edges[s]:
            carried[g].add((ROOT if head == ROOT else int(gold_of[head]), label))
    partner = {int(s): int(g) for s, g in enumerate(gold_of[:-1].tolist()) if g >= 0}

    def is_missed(word: int, edge: Edge) -> bool:
        return edge not in carried[word]

    def is_wrong(word: int, edge: Edge) -> bool:
        head, label = edge
        if word not in partner or (head != ROOT and head not in partner):
            return True
        return (ROOT if head == ROOT else partner[head], label) not in of_gold[partner[word]]

    return (
        _graph(gold, range(sentence, sentence + 1), is_missed),
        _graph(system, _sentences_of_system(comparison, sentence), is_wrong),
    )


def _sentences_of_system(comparison: Comparison, sentence: int) -> range:
    gold, system, pairs = comparison.gold, comparison.system, comparison.alignment
    begin, end = pairs.gold_surface.start[gold.sentence_first_token[sentence : sentence + 2]].tolist()
    starts = pairs.system_surface.start[system.sentence_first_token]
    first = int(np.searchsorted(starts, begin, side="right")) - 1
    return range(first, int(np.searchsorted(starts[:-1], end, side="left")))


def _graph(treebank: Treebank, sentences: range, judge: Judge | None) -> Graph:
    nodes: list[Node] = []
    edges: list[GraphEdge] = []
    for sentence in _parsed(treebank, sentences):
        place = {id: len(nodes) + n for n, id in enumerate(sentence.rows)}
        rows = np.array(list(sentence.rows.values()))
        forms, tags = (treebank.layout.column(column, rows) for column in (FORM, UPOS))
        nodes += [Node(id, forms.text_at(n), tags.text_at(n)) for n, id in enumerate(sentence.rows)]
        edges += _edges(sentence, place, judge)
    return Graph(tuple(nodes), tuple(edges))


def _edges(sentence: GraphSentence, place: dict[str, int], judge: Judge | None) -> Iterator[GraphEdge]:
    paths = paths_to_empty_nodes(sentence, [])
    for id, entries in sentence.entries.items():
        for head, label in entries:
            if head != "0" and head not in place:
                continue
            is_wrong = False
            if judge is not None and "." not in id:
                ends = _collapsed(sentence, head, label, paths)
                is_wrong = any(judge(sentence.word(id), edge) for edge in ends)
            yield GraphEdge(ROOT if head == "0" else place[head], place[id], label, is_wrong)


def _collapsed(sentence: GraphSentence, head: str, label: str, paths: dict[str, set[Edge]]) -> Sequence[Edge]:
    """The edges between words that an edge is the end of."""
    if "." in head:
        return [(start, f"{steps}>{label}") for start, steps in paths.get(head, ())]
    return [(ROOT if head == "0" else sentence.word(head), label)]


def _parsed(treebank: Treebank, sentences: range) -> Iterator[GraphSentence]:
    for number, sentence in enumerate(read_sentences(treebank, [])):
        if number in sentences:
            yield sentence
