"""Baselines for grammar induction: left branching, right branching, and random projective trees."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from ..reading.formats import NINE_COLUMNS, Format
from ..reading.layout import COLUMNS, DEPREL, FORM, HEAD, ID
from ..reading.treebank import Treebank
from .induced_trees import is_punctuation

# From the number of words and a source of random numbers below a bound to the head of each word, from 1.
Branching = Callable[[int, Callable[[int], int]], list[int]]


def left_branching(words: int, draw: Callable[[int], int]) -> list[int]:
    """The head of each word is the word after it; the last is the root.

    >>> left_branching(3, lambda bound: 0)
    [2, 3, 0]
    """
    return [*range(2, words + 1), 0]


def right_branching(words: int, draw: Callable[[int], int]) -> list[int]:
    """The head of each word is the word before it; the first is the root.

    >>> right_branching(3, lambda bound: 0)
    [0, 1, 2]
    """
    return list(range(words))


def random_projective(words: int, draw: Callable[[int], int]) -> list[int]:
    """A root is drawn from the whole span; the words on either side of it are cut into spans at random.

    >>> random_projective(3, lambda bound: bound - 1)
    [2, 3, 0]
    """
    heads = [0] * words
    waiting = [(0, words, 0)]
    while waiting:
        begin, end, head = waiting.pop()
        root = begin + draw(end - begin)
        heads[root] = head
        for first, last in ((begin, root), (root + 1, end)):
            while first < last:
                size = 1 + draw(last - first)
                waiting.append((first, first + size, root + 1))
                first += size
    return heads


BASELINES: Mapping[str, Branching] = {
    "LB": left_branching,
    "RB": right_branching,
    "random": random_projective,
}


def baseline(
    gold: Treebank, name: str, *, seed: int = 1, code: str = "", format: Format = NINE_COLUMNS
) -> bytes:
    """An output for the tokens of a file. Punctuation is attached to the root, and is not scored.

    Random trees depend on the seed of the task, the code of the test set, and the number of the sentence.
    """
    punctuation = is_punctuation(gold)
    lines: list[str] = []
    for sentence, (first, last) in enumerate(
        zip(gold.sentence_first_word, gold.sentence_first_word[1:], strict=False)
    ):
        words = np.arange(first, last)
        remaining = (words[~punctuation[words]] - first + 1).tolist() or [1]
        drawn = BASELINES[name](len(remaining), _numbers(f"{seed}:{code}:{sentence}"))
        root = remaining[drawn.index(0)]
        heads = [root] * len(words)
        for word, head in zip(remaining, drawn, strict=True):
            heads[word - 1] = remaining[head - 1] if head else 0
        lines += _lines(gold, words.tolist(), heads, format)
    return ("\n".join(lines) + "\n").encode()


def _numbers(key: str) -> Callable[[int], int]:
    """Random numbers that are the same everywhere."""

    def generate() -> Iterator[int]:
        for counter in range(1 << 62):
            yield int.from_bytes(hashlib.sha256(f"{key}:{counter}".encode()).digest()[:16], "big")

    source = generate()
    return lambda bound: next(source) % bound


def _lines(gold: Treebank, words: Sequence[int], heads: Sequence[int], format: Format) -> list[str]:
    columns = {
        COLUMNS[column]: [gold.column(column).text_at(word) for word in words] for column in (ID, FORM)
    }
    columns[COLUMNS[HEAD]] = [str(head) for head in heads]
    columns[COLUMNS[DEPREL]] = ["_" if head else "root" for head in heads]
    empty = ["_"] * len(words)
    rows = zip(*(columns.get(name, empty) for name in format.columns), strict=True)
    return [*("\t".join(row) for row in rows), ""]
