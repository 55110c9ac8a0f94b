"""Constraints: heads and relations that the output must have.

They come in a CoNLL-U file over the same words as the input: HEAD and DEPREL of constrained words are filled
in, those of all others are `_`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .conllu import FORM, UNKNOWN, Sentence, read


@dataclass(frozen=True)
class SentenceConstraints:
    """For each word the head it must have, or UNKNOWN, and its relation, or `_`."""

    heads: tuple[int, ...]
    relations: tuple[str, ...]

    @property
    def any(self) -> bool:
        return any(head != UNKNOWN for head in self.heads)

    def relabel(self, relations: Sequence[str]) -> list[str]:
        """The relations, with those of constrained words replaced."""
        return [
            own if head != UNKNOWN and own != "_" else name
            for head, own, name in zip(self.heads, self.relations, relations, strict=True)
        ]


def read_constraints(path: Path, sentences: Sequence[Sentence]) -> list[SentenceConstraints]:
    """The constraints of each sentence of the input; ValueError if the words differ."""
    constrained = read(path)
    if len(constrained) != len(sentences):
        raise ValueError(f"{path} has {len(constrained)} sentences, the input has {len(sentences)}")
    result = []
    for number, (own, sentence) in enumerate(zip(constrained, sentences, strict=True), 1):
        if own.column(FORM) != sentence.column(FORM):
            raise ValueError(f"{path}: the words of sentence {number} are not those of the input")
        if any(head > len(own) for head in own.heads):
            raise ValueError(f"{path}: a head in sentence {number} is outside the sentence")
        result.append(SentenceConstraints(tuple(own.heads), tuple(own.relations)))
    return result
