"""One sentence out of gold and out of an output, with the same comparison as of the complete files.

In: an analysed set, one of its systems, and the number of a gold sentence. Out: a `Passage`, or the lines of
the files. Only the closed region around the sentence is read from storage, a few kilobytes of files of any
size, and the evaluator runs on that.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

from evaluation.showing.excerpt import excerpt_passage
from evaluation.showing.graphs import Graph, compared_graphs, single_graph
from evaluation.showing.passage import Passage, Passages
from evaluation.showing.system_sentences import SystemSentences
from evaluation.showing.words import Tree, tree_of
from sharedtask.analysis.analysed_set import AnalysedSet, AnalysedSystem
from sharedtask.competition.models import Task
from sharedtask.competition.treebanks import compare_lines, read_file, read_lines
from sharedtask.core import storage


@dataclass(frozen=True, kw_only=True)
class Region:
    """A closed region in both files, and the place of the sentence among its gold sentences."""

    gold: bytes
    system: bytes
    place: int
    gold_line: int
    system_line: int


class TooLarge(Exception):
    """The region around the sentence is too large to be read while a reader waits."""


def gold_block(analysed: AnalysedSet, sentence: int) -> bytes:
    """The lines of one gold sentence."""
    begin, end = analysed.sentences.begin[sentence : sentence + 2].tolist()
    return read_gold(analysed, begin, end)


def gold_tree(analysed: AnalysedSet, sentence: int) -> Tree:
    return tree_of(read_lines(analysed.test_set.task, gold_block(analysed, sentence)), 0)


def passage_of(
    analysed: AnalysedSet, system: AnalysedSystem, sentences: SystemSentences, sentence: int
) -> Passage:
    """Numbers of sentences and lines are those of the complete files; a line is 0 where it is not known."""
    task = analysed.test_set.task
    try:
        region = region_of(analysed, system, sentences, sentence)
    except TooLarge:
        begin, end = int(sentences.lines_begin[sentence]), int(sentences.lines_end[sentence])
        lines = read_output(system, sentences, begin, end)
        passage = excerpt_passage(gold_block(analysed, sentence), lines, partial(compare_lines, task))
        return replace(passage, sentence=sentence)
    comparison = compare_lines(task, region.gold, region.system)
    passage = Passages(comparison).passage_of(region.place)
    return replace(
        passage,
        sentence=sentence,
        gold_line=passage.gold_line + region.gold_line,
        system_line=passage.system_line + region.system_line,
    )


def gold_graph(analysed: AnalysedSet, sentence: int) -> Graph:
    return single_graph(read_lines(analysed.test_set.task, gold_block(analysed, sentence)), 0)


def graphs_of(
    analysed: AnalysedSet, system: AnalysedSystem, sentences: SystemSentences, sentence: int
) -> tuple[Graph, Graph]:
    """The enhanced graphs of gold and of the system; raises `TooLarge`."""
    region = region_of(analysed, system, sentences, sentence)
    comparison = compare_lines(analysed.test_set.task, region.gold, region.system)
    return compared_graphs(comparison, region.place)


def region_of(
    analysed: AnalysedSet, system: AnalysedSystem, sentences: SystemSentences, sentence: int
) -> Region:
    number = sentences.region_of(sentence)
    first, behind = sentences.region_gold[number : number + 2].tolist()
    begin, end = sentences.region_begin[number : number + 2].tolist()
    gold = analysed.sentences
    if sentences.lines_end[sentence]:
        raise TooLarge
    return Region(
        gold=read_gold(analysed, int(gold.begin[first]), int(gold.begin[behind])),
        system=read_output(system, sentences, begin, end),
        place=sentence - first,
        gold_line=int(gold.line[first]),
        system_line=int(sentences.region_line[number]),
    )


def system_blocks(
    analysed: AnalysedSet, system: AnalysedSystem, sentences: SystemSentences, sentence: int
) -> list[str]:
    """The lines of each system sentence that shares a character with the gold sentence."""
    region = region_of(analysed, system, sentences, sentence)
    comparison = compare_lines(analysed.test_set.task, region.gold, region.system)
    alignment, treebank = comparison.alignment, comparison.system
    tokens = comparison.gold.sentence_first_token[region.place : region.place + 2]
    begin, end = alignment.gold_surface.start[tokens].tolist()
    starts = alignment.system_surface.start[treebank.sentence_first_token].tolist()
    return [
        treebank.sentence_source(number)
        for number, (first, behind) in enumerate(pairwise(starts))
        if first < end and behind > begin
    ]


def read_gold(analysed: AnalysedSet, begin: int, end: int) -> bytes:
    gold, size = analysed.gold, int(analysed.sentences.begin[-1])
    is_plain = gold.statistics.get("bytes", size) == size
    return read_part(analysed.test_set.task, gold.public_copy, begin, end, is_plain=is_plain)


def read_output(system: AnalysedSystem, sentences: SystemSentences, begin: int, end: int) -> bytes:
    is_plain = system.size_bytes == int(sentences.region_begin[-1])
    return read_part(system.run.task, system.output, begin, end, is_plain=is_plain)


def read_part(task: Task, name: str, begin: int, end: int, *, is_plain: bool) -> bytes:
    """Positions are those in the text as the evaluator reads it: unpacked, with plain line ends, without BOM.

    A file that is stored in another form, which its size shows, is not plain and has to be read completely.
    """
    if is_plain:
        return storage.read_part(name, begin, end)
    with storage.local_copy(name) as path:
        treebank = read_file(task, path)
    return treebank.layout.data[begin:end].tobytes()
