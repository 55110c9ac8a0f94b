"""A gold sentence beside a few words out of a system sentence that is too long to be read.

In: the lines of the gold sentence, and those of the system's words for it. Out: a `Passage` of these words
alone, judged as in the whole files: gold's head of a word is in the gold sentence, and so a head which is not
among the words is a wrong one. One word stands in for all of those.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..reading.incidents import InvalidFile
from ..reading.layout import HEAD, ID
from ..scoring.score import compare
from .aligned_trees import part_of
from .passage import Passage, Passages

_STAND_IN = "⋯"


class InvalidExcerpt(Exception):
    """The lines are not those of whole tokens of one sentence with just the characters of gold."""


def excerpt_passage(gold: bytes, lines: bytes, profile: str) -> Passage:
    """The numbers of sentence and lines are not known here and are 0."""
    try:
        system = "".join(_sentence([line.split("\t") for line in lines.decode().splitlines()]))
        stood_in = f"{_stand_in(0)}\n".encode() + gold
        comparison = compare(stood_in, system.encode(), profile)
    except (InvalidFile, ValueError, IndexError) as error:
        raise InvalidExcerpt from error
    passage = Passages(comparison).of(1)
    # The stand-in is the system's first word, beyond the gold sentence, and in a row of its own.
    rows = tuple((g, None if s is None else s - 1) for g, s in passage.rows[1:])
    words = part_of(passage.system, 1, len(passage.system.words))
    return replace(passage, sentence=0, gold_line=0, system_line=0, system=words, rows=rows)


def _sentence(rows: list[list[str]]) -> Iterator[str]:
    """Numbered anew behind the stand-in, on which all words hang whose heads are not among them."""
    kept = [row for row in rows if "." not in row[ID]]
    words = [row[ID] for row in kept if "-" not in row[ID]]
    number = {id: str(place) for place, id in enumerate(words, start=2)}
    roots = [number[row[ID]] for row in kept if row[ID] in number and row[HEAD] == "0"]
    yield _stand_in(roots[0] if roots else 0)
    for row in kept:
        if "-" in row[ID]:
            id, head = "-".join(number[end] for end in row[ID].split("-")), row[HEAD]
        else:
            id, head = number[row[ID]], "0" if row[HEAD] == "0" else number.get(row[HEAD], "1")
        yield "\t".join((id, *row[1:HEAD], head, *row[HEAD + 1 :])) + "\n"
    yield "\n"


def _stand_in(head: int | str) -> str:
    return f"1\t{_STAND_IN}\t_\tX\t_\t_\t{head}\troot\t_\t_\n"
