"""The enhanced graphs of a sentence: gold's, and below it those of the chosen systems.

In: an analysed set of a task with enhanced graphs, the chosen systems, the number of a sentence. Out: an SVG;
empty for other tasks, and for sentences that are too long to be drawn. An edge of gold is marked if all
systems miss it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import evaluation
from evaluation.showing.draw_graph import draw_graphs
from evaluation.showing.graphs import Graph
from evaluation.showing.system_sentences import SystemSentences
from sharedtask.analysis.analysed_set import AnalysedSet, AnalysedSystem
from sharedtask.analysis.excerpts import TooLarge, gold_graph, graphs_of
from sharedtask.competition.treebanks import format_of

MAX_NODES = 150


def enhanced_graphs(
    analysed: AnalysedSet,
    chosen: Sequence[AnalysedSystem],
    sentences: Mapping[str, SystemSentences],
    number: int,
    *,
    standalone: bool = False,
) -> str:
    if not format_of(analysed.test_set.task).enhanced or analysed.sentences.words[number] > MAX_NODES:
        return ""
    pairs: dict[str, tuple[Graph, Graph]] = {}
    for system in chosen:
        try:
            graphs = graphs_of(analysed, system, sentences[system.analysis], number)
        except (TooLarge, evaluation.InvalidFile, FileNotFoundError):
            continue
        if len(graphs[1].nodes) <= MAX_NODES:
            pairs[system.name] = graphs
    gold = missed_by_all([graphs[0] for graphs in pairs.values()]) or gold_graph(analysed, number)
    title = f"Enhanced graphs of sentence {number + 1} of {analysed.test_set.code}"
    drawn = [gold, *(graphs[1] for graphs in pairs.values())]
    return draw_graphs(drawn, ["gold", *pairs], title=title, standalone=standalone)


def missed_by_all(graphs: Sequence[Graph]) -> Graph | None:
    """Gold's graph as each system judges it; None without systems."""
    if not graphs:
        return None
    edges = (
        replace(same[0], is_wrong=all(edge.is_wrong for edge in same))
        for same in zip(*(graph.edges for graph in graphs), strict=True)
    )
    return replace(graphs[0], edges=tuple(edges))
