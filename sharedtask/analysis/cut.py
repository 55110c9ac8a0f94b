"""One sentence cut out of gold and of an output, and compared as in the whole files.

In: a field, a system of it, and the number of a gold sentence. Out: a `Passage`, or the lines of the files.
Only the closed region around the sentence is fetched from storage, a few kilobytes of files of any size, and
the evaluator runs on that.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import evaluation
from evaluation.showing.excerpt import excerpt_passage
from evaluation.showing.passage import Passage, Passages
from evaluation.showing.system_sentences import SystemSentences
from evaluation.showing.words import Tree, tree_of
from sharedtask.analysis.field import Entrant, Field
from sharedtask.core import storage
from sharedtask.core.limits import reading_limits


@dataclass(frozen=True, kw_only=True)
class Region:
    """A closed region as it stands in both files, and the place of the sentence among its gold sentences."""

    gold: bytes
    system: bytes
    place: int
    gold_line: int
    system_line: int


class TooLarge(Exception):
    """The region around the sentence is too large to be read while a reader waits."""


def gold_block(field: Field, sentence: int) -> bytes:
    """The lines of one gold sentence."""
    begin, end = field.sentences.begin[sentence : sentence + 2].tolist()
    return part_of_gold(field, begin, end)


def gold_tree(field: Field, sentence: int) -> Tree:
    return tree_of(evaluation.read(gold_block(field, sentence)), 0)


def passage_of(field: Field, entrant: Entrant, found: SystemSentences, sentence: int) -> Passage:
    """Numbers of sentences and lines are those of the whole files; lines are 0 where they are not known."""
    try:
        region = region_of(field, entrant, found, sentence)
    except TooLarge:
        begin, end = int(found.lines_begin[sentence]), int(found.lines_end[sentence])
        lines = part(entrant.output, begin, end, is_plain=is_plain(entrant, found))
        passage = excerpt_passage(gold_block(field, sentence), lines, field.test_set.task.profile)
        return replace(passage, sentence=sentence)
    comparison = evaluation.compare(region.gold, region.system, field.test_set.task.profile)
    passage = Passages(comparison).of(region.place)
    return replace(
        passage,
        sentence=sentence,
        gold_line=passage.gold_line + region.gold_line,
        system_line=passage.system_line + region.system_line,
    )


def region_of(field: Field, entrant: Entrant, found: SystemSentences, sentence: int) -> Region:
    number = found.region_of(sentence)
    first, behind = found.region_gold[number : number + 2].tolist()
    begin, end = found.region_begin[number : number + 2].tolist()
    gold_begin, gold_end = int(field.sentences.begin[first]), int(field.sentences.begin[behind])
    if found.lines_end[sentence]:
        raise TooLarge
    return Region(
        gold=part_of_gold(field, gold_begin, gold_end),
        system=part(entrant.output, begin, end, is_plain=is_plain(entrant, found)),
        place=sentence - first,
        gold_line=int(field.sentences.line[first]),
        system_line=int(found.region_line[number]),
    )


def system_blocks(field: Field, entrant: Entrant, found: SystemSentences, sentence: int) -> list[str]:
    """The lines of each system sentence that shares a character with the gold sentence."""
    region = region_of(field, entrant, found, sentence)
    comparison = evaluation.compare(region.gold, region.system, field.test_set.task.profile)
    gold, system, alignment = comparison.gold, comparison.system, comparison.alignment
    tokens = gold.sentence_first_token[region.place : region.place + 2]
    begin, end = alignment.gold_surface.start[tokens].tolist()
    starts = alignment.system_surface.start[system.sentence_first_token].tolist()
    return [
        system.sentence_source(n)
        for n, (first, behind) in enumerate(pairwise(starts))
        if first < end and behind > begin
    ]


def part_of_gold(field: Field, begin: int, end: int) -> bytes:
    size = int(field.sentences.begin[-1])
    return part(
        field.gold.public_copy,
        begin,
        end,
        is_plain=field.gold.statistics.get("bytes", size) == size,
    )


def is_plain(entrant: Entrant, found: SystemSentences) -> bool:
    return entrant.size_bytes == int(found.region_begin[-1])


def part(name: str, begin: int, end: int, *, is_plain: bool) -> bytes:
    """Places count in the text as the evaluator reads it: unpacked, with plain line ends, without a mark.

    A file that is stored otherwise, told by its size, has to be read from its beginning.
    """
    if is_plain:
        return storage.read_part(name, begin, end)
    with storage.fetched(name) as path:
        whole = evaluation.read(path, limits=reading_limits())
    return whole.layout.data[begin:end].tobytes()
