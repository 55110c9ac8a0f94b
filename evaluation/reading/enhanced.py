"""The enhanced graphs of DEPS: edges between words, with paths through empty nodes as single edges.

A path from a word (or the root) through empty nodes to a word becomes one edge, whose label is the labels of
its steps joined by `>`. Every error is an incident with its line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from .fields import Ints
from .incidents import Collector, Incident, visible
from .layout import DEPS, ID
from .trees import ROOT

if TYPE_CHECKING:
    from .treebank import Treebank

# Paths can grow exponentially with the number of empty nodes; no real sentence comes near this.
MAX_PATHS = 10_000
MAX_CHARACTERS = 1_000_000
MAX_EMPTY_NODES = 1_000

# A head and a label. The head is the index of a word in the file, or ROOT.
Edge = tuple[int, str]


@dataclass(frozen=True, slots=True)
class EnhancedGraph:
    """Per word its different edges; and the errors: a kind, a row of the layout, found, expected."""

    edges: Sequence[frozenset[Edge]]
    errors: Sequence[tuple[str, int, str, str]]


@dataclass(slots=True)
class GraphSentence:
    """The nodes of a sentence by their IDs, each with its row and its entries of DEPS: head and label."""

    first_word: int
    rows: dict[str, int] = field(default_factory=dict)
    entries: dict[str, list[tuple[str, str]]] = field(default_factory=dict)

    def word(self, id: str) -> int:
        """The index of a word in the file, or ROOT."""
        return ROOT if id == "0" else self.first_word + int(id) - 1


def build_graph(treebank: Treebank) -> EnhancedGraph:
    """The edges of every word. Where a sentence has errors, its edges are incomplete."""
    edges: list[frozenset[Edge]] = []
    errors: list[tuple[str, int, str, str]] = []
    for sentence in read_sentences(treebank, errors):
        edges += _collapse(sentence, errors)
    return EnhancedGraph(edges, errors)


def check_graph(treebank: Treebank, collector: Collector) -> None:
    """Report the errors of the graphs."""
    errors = treebank.enhanced.errors
    for id in dict.fromkeys(error[0] for error in errors):
        chosen = [error for error in errors if error[0] == id]
        collector.add(id, range(len(chosen)), partial(_describe, treebank, chosen))


def _describe(treebank: Treebank, errors: Sequence[tuple[str, int, str, str]], number: int) -> Incident:
    id, row, found, expected = errors[number]
    layout = treebank.layout
    return Incident(id, int(layout.line[row]) + 1, int(layout.sentence[row]) + 1, found, expected)


def read_sentences(treebank: Treebank, errors: list[tuple[str, int, str, str]]) -> Iterator[GraphSentence]:
    layout = treebank.layout
    ids = [value.decode() for value in layout.column(ID).values()]
    deps = [value.decode("utf-8", "replace") for value in layout.column(DEPS).values()]
    of_row: Ints = layout.sentence
    current, number = GraphSentence(0), 0
    for row, (id, value, sentence) in enumerate(zip(ids, deps, of_row.tolist(), strict=True)):
        if sentence != number:
            yield current
            number, current = sentence, GraphSentence(int(treebank.sentence_first_word[sentence]))
        if "-" not in id:
            current.rows[id] = row
            current.entries[id] = _parse(value, row, errors)
    yield current


def _parse(value: str, row: int, errors: list[tuple[str, int, str, str]]) -> list[tuple[str, str]]:
    entries = []
    for part in value.split("|") if value not in ("", "_") else ():
        head, colon, label = part.partition(":")
        if not colon or not head or not label:
            errors.append(("deps-malformed", row, f"“{visible(part)}”", "a head, a colon and a relation"))
        elif (head, label) in entries:
            errors.append(("deps-repeated", row, f"“{visible(part)}” twice", "each edge once"))
        else:
            entries.append((head, label))
    return entries


def _collapse(sentence: GraphSentence, errors: list[tuple[str, int, str, str]]) -> list[frozenset[Edge]]:
    """The edges of the words of a sentence, in order."""
    _drop_unknown_heads(sentence, errors)
    words = [id for id in sentence.rows if "." not in id]
    paths = paths_to_empty_nodes(sentence, errors)
    result: list[frozenset[Edge]] = []
    for id in words:
        edges: set[Edge] = set()
        for head, label in sentence.entries[id]:
            if "." in head:
                edges |= {(start, f"{steps}>{label}") for start, steps in paths.get(head, ())}
            else:
                edges.add((sentence.word(head), label))
        result.append(frozenset(edges))
    _check_connection(sentence, words, errors)
    return result


def _drop_unknown_heads(sentence: GraphSentence, errors: list[tuple[str, int, str, str]]) -> None:
    for id, entries in sentence.entries.items():
        for head, _ in entries:
            if head != "0" and head not in sentence.rows:
                found = f"“{visible(head)}”"
                errors.append(("deps-head-outside", sentence.rows[id], found, "0 or an ID of the sentence"))
        sentence.entries[id] = [e for e in entries if e[0] == "0" or e[0] in sentence.rows]


def paths_to_empty_nodes(
    sentence: GraphSentence, errors: list[tuple[str, int, str, str]]
) -> dict[str, set[Edge]]:
    """For each empty node, the paths that lead to it from a word or the root through empty nodes."""
    paths: dict[str, set[Edge]] = {}
    waiting = [id for id in sentence.rows if "." in id]
    total = characters = 0
    if len(waiting) > MAX_EMPTY_NODES:
        found, expected = f"{len(waiting):,} empty nodes", f"at most {MAX_EMPTY_NODES:,} in a sentence"
        errors.append(("too-many-paths", sentence.rows[waiting[0]], found, expected))
        return paths
    while waiting:
        ready = [id for id in waiting if all("." not in h or h in paths for h, _ in sentence.entries[id])]
        if not ready:
            expected = "empty nodes that are reached from words"
            errors.append(("empty-node-cycle", sentence.rows[waiting[0]], ", ".join(waiting[:8]), expected))
            return paths
        for id in ready:
            paths[id] = set()
            for head, label in sentence.entries[id]:
                starts = [(sentence.word(head), "")] if "." not in head else paths[head]
                paths[id] |= {(start, f"{steps}>{label}" if steps else label) for start, steps in starts}
            total += len(paths[id])
            characters += sum(len(steps) for _, steps in paths[id])
            if total > MAX_PATHS or characters > MAX_CHARACTERS:
                found, expected = f"{total:,} paths or more", "fewer or shorter paths through empty nodes"
                errors.append(("too-many-paths", sentence.rows[id], found, expected))
                return paths
        waiting = [id for id in waiting if id not in paths]
    return paths


def _check_connection(
    sentence: GraphSentence, words: Sequence[str], errors: list[tuple[str, int, str, str]]
) -> None:
    """Every word must be reached from the root."""
    children: dict[str, list[str]] = {}
    for id, entries in sentence.entries.items():
        for head, _ in entries:
            children.setdefault(head, []).append(id)
    reached, waiting = {"0"}, ["0"]
    while waiting:
        for id in children.get(waiting.pop(), ()):
            if id not in reached:
                reached.add(id)
                waiting.append(id)
    unreached = [id for id in words if id not in reached]
    if unreached:
        more = ", …" if len(unreached) > 8 else ""
        found = f"no path to {', '.join(unreached[:8])}{more}"
        errors.append(
            ("deps-unconnected", sentence.rows[unreached[0]], found, "a path from the root to every word")
        )
