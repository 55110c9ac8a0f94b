"""ELAS and EULAS: equal to the published scorer, also on files that a slow enumeration has collapsed."""

from __future__ import annotations

import io
import random

import pytest
from udtools import udeval

import evaluation
from evaluation.reading.formats import CONLLU

LABELS = ("nsubj", "obj", "conj:and", "conj:or", "nmod:of")
IWPT = evaluation.PROFILES["iwpt21"]


def graph(lines: list[str]) -> bytes:
    """Lines `ID HEAD DEPS`; an empty node has no HEAD."""
    rows = []
    for line in lines:
        id, head, deps = line.split(" ")
        relation = "root" if head == "0" else "dep"
        rows.append(
            "\t".join([id, f"w{id}", "_", "X", "_", "_", head, "_" if head == "_" else relation, deps, "_"])
        )
    return ("\n".join(rows) + "\n\n").encode()


def draw(source: random.Random, words: int, empty: int) -> list[str]:
    """A connected graph in which empty nodes depend on words and on earlier empty nodes."""
    nodes = [f"{words}.{n}" for n in range(1, empty + 1)]
    lines = []
    for n in range(1, words + 1):
        deps = {(str(n - 1), "root" if n == 1 else source.choice(LABELS))}
        for _ in range(source.randint(0, 2)):
            head = source.choice([*map(str, range(1, words + 1)), *nodes])
            deps.add((head, source.choice(LABELS)))
        lines.append(f"{n} {n - 1} " + "|".join(f"{h}:{label}" for h, label in sorted(deps)))
    for place, id in enumerate(nodes):
        heads = [str(source.randint(0, words)), *([source.choice(nodes[:place])] if place else [])]
        lines.append(f"{id} _ " + "|".join(f"{head}:{source.choice(LABELS)}" for head in heads))
    return lines


def collapse_slowly(lines: list[str]) -> list[str]:
    """Enumerate all paths through empty nodes, one after the other."""
    entries = {
        line.split(" ")[0]: [tuple(part.split(":", 1)) for part in line.split(" ")[2].split("|")]
        for line in lines
    }

    def paths(id: str) -> list[tuple[str, list[str]]]:
        complete = []
        for head, label in entries[id]:
            if "." not in head:
                complete.append((head, [label]))
            else:
                complete += [(start, [*steps, label]) for start, steps in paths(head)]
        return complete

    collapsed = []
    for line in lines:
        id, head, _ = line.split(" ")
        if "." not in id:
            edges = dict.fromkeys(f"{start}:{'>'.join(steps)}" for start, steps in paths(id))
            collapsed.append(f"{id} {head} {'|'.join(edges)}")
    return collapsed


def published(gold: bytes, system: bytes) -> dict[str, tuple[int, int, int]]:
    files = [udeval.load_conllu(io.StringIO(content.decode()), "file", {}) for content in (gold, system)]
    scores = udeval.evaluate(*files)
    return {
        name: (scores[name].gold_total, scores[name].system_total, scores[name].correct)
        for name in ("ELAS", "EULAS")
    }


def ours(gold: bytes, system: bytes) -> dict[str, tuple[int, int, int]]:
    metrics = evaluation.score(gold, system, "iwpt21").metrics
    return {n: (metrics[n].gold, metrics[n].system, metrics[n].correct) for n in ("ELAS", "EULAS")}


def is_repeated_without_subtypes(lines: list[str]) -> bool:
    """Where edges become equal without subtypes, the published scorer counts them more than once."""
    for line in lines:
        edges = [
            (part.split(":", 1)[0], ">".join(step.split(":")[0] for step in part.split(":", 1)[1].split(">")))
            for part in line.split(" ")[2].split("|")
        ]
        if len(set(edges)) < len(edges):
            return True
    return False


@pytest.mark.parametrize("seed", range(40))
def test_counts_are_those_of_the_published_scorer(seed: int) -> None:
    source = random.Random(seed)
    while True:
        words = source.randint(2, 6)
        gold, system = (draw(source, words, source.choice([0, 0, 2, 3])) for _ in range(2))
        collapsed = [collapse_slowly(side) for side in (gold, system)]
        if not any(map(is_repeated_without_subtypes, collapsed)):
            break
    expected = published(*map(graph, collapsed))
    assert ours(*map(graph, collapsed)) == expected
    assert ours(graph(gold), graph(system)) == expected


def test_a_path_through_empty_nodes_is_one_edge() -> None:
    treebank = evaluation.read(graph(["1 0 0:root", "2 1 2.1:nsubj", "2.1 _ 1:conj:and|0:root"]))
    assert treebank.enhanced.edges == [{(-1, "root")}, {(0, "conj:and>nsubj"), (-1, "root>nsubj")}]


def test_a_repeated_edge_counts_once_and_is_a_warning() -> None:
    repeated = graph(["1 0 0:root|0:root", "2 1 1:obj"])
    assert ours(repeated, repeated)["ELAS"] == (2, 2, 2)
    report = evaluation.validate(repeated, profile="iwpt21")
    assert report.valid and [(i.id, i.line) for i in report.incidents] == [("deps-repeated", 1)]


def test_edges_that_are_equal_without_subtypes_count_once_in_eulas() -> None:
    gold = graph(["1 0 0:root", "2 1 1:conj:and|1:conj:or"])
    assert ours(gold, gold) == {"ELAS": (3, 3, 3), "EULAS": (2, 2, 2)}


@pytest.mark.parametrize(
    ("lines", "id", "line", "found"),
    [
        (["1 0 0:root", "2 1 1"], "deps-malformed", 2, "“1”"),
        (["1 0 0:root", "2 1 7:obj"], "deps-head-outside", 2, "“7”"),
        (["1 0 0:root", "2 1 _"], "deps-unconnected", 2, "no path to 2"),
        (["1 0 0:root", "2 1 1:x", "2.1 _ 2.2:a", "2.2 _ 2.1:a"], "empty-node-cycle", 3, "2.1, 2.2"),
    ],
)
def test_bad_graphs_are_incidents(lines: list[str], id: str, line: int, found: str) -> None:
    report = evaluation.validate(graph(lines), profile="iwpt21")
    assert not report.valid
    assert (id, line, found) in [(i.id, i.line, i.found) for i in report.incidents]
    # Other profiles do not look at DEPS.
    assert evaluation.validate(graph(lines)).valid


def test_paths_that_multiply_are_refused() -> None:
    nodes = [
        f"1.{n} _ " + "|".join([f"1.{n - 1}:{x}" for x in "abcd"] if n > 1 else ["1:a"]) for n in range(1, 12)
    ]
    report = evaluation.validate(graph(["1 0 0:root", *nodes]), profile="iwpt21")
    assert [incident.id for incident in report.incidents] == ["too-many-paths"]


def test_the_profile_reads_what_the_others_read() -> None:
    assert IWPT.format.columns == CONLLU.columns
    assert set(evaluation.PROFILES["conll18"].metrics) < set(IWPT.metrics)
