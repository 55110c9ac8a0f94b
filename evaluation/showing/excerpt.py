"""A gold sentence and the corresponding words of a system sentence that is too long to be read.

In: the lines of the gold sentence, and those of the system's words for it. Out: a `Passage` of these words
only, judged as in the full files: the gold head of a word is in the gold sentence, so a system head outside
these words is wrong. One placeholder word replaces all such heads.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..reading.incidents import InvalidFile
from ..reading.layout import HEAD, ID
from ..scoring.score import compare
from .aligned_trees import part_of
from .passage import Passage, Passages

_PLACEHOLDER_FORM = "⋯"


class InvalidExcerpt(Exception):
    """The lines are not complete tokens of one sentence with exactly the characters of gold."""


def excerpt_passage(gold: bytes, lines: bytes, profile: str) -> Passage:
    """The passage of an excerpt; the numbers of its sentence and lines are unknown and set to 0."""
    try:
        system = "".join(_sentence([line.split("\t") for line in lines.decode().splitlines()]))
        prefixed_gold = f"{_placeholder(0)}\n".encode() + gold
        comparison = compare(prefixed_gold, system.encode(), profile)
    except (InvalidFile, ValueError, IndexError) as error:
        raise InvalidExcerpt from error
    passage = Passages(comparison).passage_of(1)
    # The placeholder is the system's first word, outside the gold sentence, and in its own row.
    rows = tuple((g, None if s is None else s - 1) for g, s in passage.rows[1:])
    words = part_of(passage.system, 1, len(passage.system.words))
    return replace(passage, sentence=0, gold_line=0, system_line=0, system=words, rows=rows)


def _sentence(rows: list[list[str]]) -> Iterator[str]:
    """The words renumbered after the placeholder, which is the head of all words with an outside head."""
    tokens = [row for row in rows if "." not in row[ID]]
    words = [row[ID] for row in tokens if "-" not in row[ID]]
    number = {id: str(place) for place, id in enumerate(words, start=2)}
    roots = [number[row[ID]] for row in tokens if row[ID] in number and row[HEAD] == "0"]
    yield _placeholder(roots[0] if roots else 0)
    for row in tokens:
        if "-" in row[ID]:
            id, head = "-".join(number[end] for end in row[ID].split("-")), row[HEAD]
        else:
            id, head = number[row[ID]], "0" if row[HEAD] == "0" else number.get(row[HEAD], "1")
        yield "\t".join((id, *row[1:HEAD], head, *row[HEAD + 1 :])) + "\n"
    yield "\n"


def _placeholder(head: int | str) -> str:
    return f"1\t{_PLACEHOLDER_FORM}\t_\tX\t_\t_\t{head}\troot\t_\t_\n"
