"""Small series of outputs: trees drawn by a seed, with more right heads the larger the training sample is."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

TAGS = ("DET", "NOUN", "VERB", "ADP", "ADJ", "PUNCT", "X")
RELATIONS = ("det", "nsubj", "obj", "case", "nmod:poss", "punct")
SIZES = (5, 10, 20, 50)


@dataclass(frozen=True)
class Word:
    """A word as it is written; the head is 0 for the root."""

    form: str
    tag: str
    head: int
    relation: str


Sentence = list[Word]


def draw_gold(source: random.Random, sentences: int) -> list[Sentence]:
    return [_draw_sentence(source) for _ in range(sentences)]


def _draw_sentence(source: random.Random) -> Sentence:
    heads = draw_tree(source, source.randint(1, 9))
    return [
        Word(
            f"w{source.randrange(40)}",
            source.choice(TAGS),
            head,
            source.choice(RELATIONS) if head else "root",
        )
        for head in heads
    ]


def draw_tree(source: random.Random, size: int) -> list[int]:
    """Every word but the first, in a random order, is attached to one before it."""
    order = list(range(size))
    source.shuffle(order)
    heads = [0] * size
    for place, word in enumerate(order[1:], start=1):
        heads[word] = order[source.randrange(place)] + 1
    return heads


def parse(source: random.Random, gold: Sequence[Sentence], accuracy: float) -> list[Sentence]:
    """The gold trees, some of them replaced by drawn ones; relations and tags play no part."""
    return [
        list(sentence)
        if source.random() < accuracy
        else [
            Word(word.form, "X", head, "dep")
            for word, head in zip(sentence, draw_tree(source, len(sentence)), strict=True)
        ]
        for sentence in gold
    ]


def write(path: Path, sentences: Sequence[Sentence]) -> None:
    lines = []
    for sentence in sentences:
        for number, word in enumerate(sentence, start=1):
            columns = (number, word.form, "_", word.tag, "_", "_", word.head, word.relation, "_", "_")
            lines.append("\t".join(map(str, columns)))
        lines.append("")
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")


def draw_series(
    folder: Path,
    seed: int,
    *,
    sizes: Sequence[int] = SIZES,
    samples: int = 2,
    sentences: int = 30,
    systems: Mapping[str, float] | None = None,
) -> list[Sentence]:
    """Write a folder as the command takes it; the gold sentences."""
    source = random.Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    gold = draw_gold(source, sentences)
    write(folder / "gold.conllu", gold)
    for place, size in enumerate(sizes):
        for sample in range(1, samples + 1):
            accuracy = 0.2 + 0.7 * place / len(sizes)
            write(folder / f"{size}-{sample}.conllu", parse(source, gold, accuracy))
    for name, accuracy in (systems or {"xling": 0.4}).items():
        write(folder / f"{name}.conllu", parse(source, gold, accuracy))
    return gold
