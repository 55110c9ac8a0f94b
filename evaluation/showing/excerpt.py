"""A gold sentence and the corresponding words of a system sentence that is too long to be read.

In: the lines of the gold sentence, and those of the system's words for it. Out: a `Passage` of these words
only, judged as in the full files: the gold head of a word is in the gold sentence, so a system head outside
these words is wrong. One placeholder word replaces all such heads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from conllu import Token, TokenList
from conllu.exceptions import ParseException
from conllu.parser import DEFAULT_FIELDS, parse_id_value

from ..reading.incidents import InvalidFile
from ..scoring.compare import Comparison
from .aligned_trees import part_of
from .passage import Passage, Passages

_PLACEHOLDER_FORM = "⋯"


class InvalidExcerpt(Exception):
    """The lines are not complete tokens of one sentence with exactly the characters of gold."""


def excerpt_passage(gold: bytes, lines: bytes, compare: Callable[[bytes, bytes], Comparison]) -> Passage:
    """The passage of an excerpt; the numbers of its sentence and lines are unknown and set to 0."""
    try:
        system = _after_placeholder(_parse(lines))
        prefixed_gold = TokenList([_placeholder(0)]).serialize().encode() + gold
        comparison = compare(prefixed_gold, system.serialize().encode())
    except (InvalidFile, ParseException, LookupError, TypeError, ValueError) as error:
        raise InvalidExcerpt from error
    passage = Passages(comparison).passage_of(1)
    # The placeholder is the system's first word, outside the gold sentence, and in its own row.
    rows = tuple((g, None if s is None else s - 1) for g, s in passage.rows[1:])
    words = part_of(passage.system, 1, len(passage.system.words))
    return replace(passage, sentence=0, gold_line=0, system_line=0, system=words, rows=rows)


def _parse(lines: bytes) -> TokenList:
    """The tokens. `conllu`'s own parser would split at double spaces, too, which a form may contain."""
    rows = [line.split("\t") for line in lines.decode().removesuffix("\n").split("\n")]
    tokens = [Token(zip(DEFAULT_FIELDS, row, strict=True)) for row in rows]
    for token in tokens:
        token["id"] = parse_id_value(token["id"])
    return TokenList(tokens)


def _after_placeholder(tokens: TokenList) -> TokenList:
    """The words renumbered after the placeholder, which is the head of all words with an outside head."""
    words = [token for token in tokens if isinstance(token["id"], int)]
    number = {0: 0} | {word["id"]: place for place, word in enumerate(words, start=2)}
    renumbered = []
    for token in tokens:
        if isinstance(token["id"], int):
            head = number.get(int(token["head"]), 1)
            renumbered.append(Token(token, id=number[token["id"]], head=head))
        elif token["id"][1] == "-":
            first, dash, last = token["id"]
            renumbered.append(Token(token, id=(number[first], dash, number[last])))
    roots = [token["id"] for token in renumbered if token["head"] == 0]
    return TokenList([_placeholder(roots[0] if roots else 0), *renumbered])


def _placeholder(head: int) -> Token:
    values = (1, _PLACEHOLDER_FORM, None, "X", None, None, head, "root", None, None)
    return Token(zip(DEFAULT_FIELDS, values, strict=True))
