"""One sentence as CoNLL-U: gold's lines, then those of each system whose files the reader may have.

In: a field, the chosen systems, the number of a sentence. Out: a text that any reader of CoNLL-U takes; a
comment in each block says where it comes from.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from evaluation.showing.glyphs import display_text
from evaluation.showing.system_sentences import SystemSentences
from sharedtask.analysis.cut import TooLarge, gold_block, system_blocks
from sharedtask.analysis.field import Entrant, Field


def conllu(
    field: Field,
    chosen: Sequence[Entrant],
    found: Mapping[str, SystemSentences],
    number: int,
    *,
    public: Collection[int],
) -> str:
    """`public` are the keys of the runs whose files the reader may have."""
    blocks = "".join(blocks_of(field, [one for one in chosen if one.run.pk in public], found, number))
    kept_back = [one.name for one in chosen if one.run.pk not in public]
    note = f"# not_public = {display_text(', '.join(kept_back), 400)}\n" if kept_back else ""
    return note + blocks


def blocks_of(
    field: Field, chosen: Sequence[Entrant], found: Mapping[str, SystemSentences], number: int
) -> Iterator[str]:
    gold = gold_block(field, number).decode()
    yield with_source(
        gold, f"gold of {field.test_set.code}, version {field.gold.number}, sentence {number + 1}"
    )
    for one in chosen:
        try:
            lines = system_blocks(field, one, found[one.analysis], number)
        except (TooLarge, FileNotFoundError):
            continue
        for block in lines:
            yield with_source(block, display_text(one.name, 200))


def with_source(block: str, source: str) -> str:
    return f"# source = {source}\n{block.rstrip()}\n\n"
