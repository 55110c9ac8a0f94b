"""Drawn forests over given tokens, some of them punctuation with children, for the tests of tree metrics."""

from __future__ import annotations

import random
from dataclasses import dataclass

TAGS = ("NOUN", "VERB", "ADJ", "DET", "PUNCT")
RELATIONS = ("nsubj", "obj", "det", "conj:and", "hd")


@dataclass(frozen=True)
class Word:
    form: str
    tag: str
    fine: str
    head: int
    relation: str


Sentence = list[Word]


def draw_heads(source: random.Random, words: int, *, roots: bool = True) -> list[int]:
    """A forest: heads from 1, 0 for roots, of which there may be several."""
    order = list(range(1, words + 1))
    source.shuffle(order)
    heads = [0] * words
    for place, word in enumerate(order):
        if place and not (roots and source.random() < 0.1):
            heads[word - 1] = source.choice(order[:place])
    return heads


def draw_sentences(source: random.Random, sentences: int = 8, *, longest: int = 9) -> list[Sentence]:
    drawn = []
    for _ in range(sentences):
        size = source.randint(1, longest)
        sentence = []
        for head in draw_heads(source, size):
            tag = source.choice(TAGS)
            form = source.choice(["a", "b)", "c-d"]) if tag != "PUNCT" else source.choice(["(", ",", "!?"])
            sentence.append(Word(form, tag, tag[0], head, source.choice(RELATIONS)))
        drawn.append(sentence)
    return drawn


def redraw(source: random.Random, sentences: list[Sentence]) -> list[Sentence]:
    """The same tokens with other trees that often agree; tags are induced classes."""
    result = []
    for sentence in sentences:
        keep_tree = source.random() < 0.3
        heads = [w.head for w in sentence] if keep_tree else draw_heads(source, len(sentence))
        result.append(
            [
                Word(
                    word.form,
                    source.choice("xyz"),
                    word.fine,
                    head,
                    word.relation if source.random() < 0.7 else source.choice(RELATIONS),
                )
                for word, head in zip(sentence, heads, strict=True)
            ]
        )
    return result


def ten_columns(sentences: list[Sentence]) -> bytes:
    lines = []
    for sentence in sentences:
        for n, w in enumerate(sentence, 1):
            lines.append(
                "\t".join([str(n), w.form, "_", w.tag, w.fine, "_", str(w.head), w.relation, "_", "_"])
            )
        lines.append("")
    return ("\n".join(lines) + "\n").encode()


def nine_columns(sentences: list[Sentence]) -> bytes:
    lines = []
    for sentence in sentences:
        for n, w in enumerate(sentence, 1):
            lines.append("\t".join([str(n), w.form, "_", "C", w.fine, w.tag, "_", str(w.head), w.relation]))
        lines.append("")
    return ("\n".join(lines) + "\n").encode()


def prune_slowly(sentence: Sentence, removed: set[int]) -> dict[int, int]:
    """Without the removed words (counted from 1): head of each remaining word, by climbing."""
    heads = {}
    for n, word in enumerate(sentence, 1):
        if n in removed:
            continue
        head = word.head
        while head in removed:
            head = sentence[head - 1].head
        heads[n] = head
    return heads
