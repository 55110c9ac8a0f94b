"""One sentence as CoNLL-U: the lines of gold, then those of each system whose output the reader may have.

In: an analysed set, the chosen systems, the number of a sentence. Out: a text that every CoNLL-U reader
accepts; a comment in each block names its source.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from evaluation.showing.glyphs import display_text
from evaluation.showing.system_sentences import SystemSentences
from sharedtask.analysis.analysed_set import AnalysedSet, AnalysedSystem
from sharedtask.analysis.excerpts import TooLarge, gold_block, system_blocks


def conllu(
    analysed: AnalysedSet,
    chosen: Sequence[AnalysedSystem],
    sentences: Mapping[str, SystemSentences],
    number: int,
    *,
    public: Collection[int],
) -> str:
    """`public` are the keys of the runs whose outputs the reader may have."""
    public_systems = [system for system in chosen if system.run.pk in public]
    withheld = [system.name for system in chosen if system.run.pk not in public]
    note = f"# not_public = {display_text(', '.join(withheld), 400)}\n" if withheld else ""
    return note + "".join(blocks(analysed, public_systems, sentences, number))


def blocks(
    analysed: AnalysedSet,
    systems: Sequence[AnalysedSystem],
    sentences: Mapping[str, SystemSentences],
    number: int,
) -> Iterator[str]:
    gold = gold_block(analysed, number).decode()
    code, version = analysed.test_set.code, analysed.gold.number
    yield with_source(gold, f"gold of {code}, version {version}, sentence {number + 1}")
    for system in systems:
        try:
            lines = system_blocks(analysed, system, sentences[system.analysis], number)
        except (TooLarge, FileNotFoundError):
            continue
        for block in lines:
            yield with_source(block, display_text(system.name, 200))


def with_source(block: str, source: str) -> str:
    """Only line ends are taken off: the last column may be empty or end in a space."""
    lines = block.rstrip("\n")
    return f"# source = {source}\n{lines}\n\n"
