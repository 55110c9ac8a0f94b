"""What features see of a word: numbers for its form, lemma, tags, morphology and neighbours."""

from __future__ import annotations

import zlib

import numpy as np
from numpy.typing import NDArray

from .conllu import FEATS, FORM, LEMMA, UPOS, XPOS, Sentence

Values = NDArray[np.uint64]

ATTRIBUTES = ("form", "lemma", "upos", "tag", "morph", "kind", "agreement", "before", "after")
COUNTED = (("VERB", "AUX"), ("PUNCT",), ("NOUN", "PROPN", "PRON"), ("CCONJ",), ("ADP", "SCONJ"))
"""Groups of tags whose words between two others are counted."""

BETWEEN = tuple(f"between-{group[0]}" for group in COUNTED)
PAIR_VALUES = ("direction", "distance", *BETWEEN)
_DISTANCES = (1, 2, 3, 4, 5, 7, 10, 15)
_MOST_BETWEEN = 3


def number(text: str) -> int:
    """The same number for the same text, on every machine and in every process."""
    return zlib.crc32(text.encode())


def attributes(sentence: Sentence) -> Values:
    """`values[attribute, place]`: place 0 is the root, then the words, then a place that stands for none."""
    rows = [_describe(word) for word in sentence.words]
    tags = ["<root>", *sentence.column(UPOS), "<none>"]
    values = [[number("<root>")] * 7, *([number(text) for text in row] for row in rows)]
    values.append([number("<none>")] * 7)
    before = [number(tag) for tag in ["<none>", *tags[:-2], "<none>"]]
    after = [number(tag) for tag in [*tags[1:], "<none>"]]
    return np.array([*zip(*values, strict=True), before, after], dtype=np.uint64)


def _describe(word: tuple[str, ...]) -> tuple[str, ...]:
    feats = dict(feature.partition("=")[::2] for feature in word[FEATS].split("|"))
    kind = "|".join(feats.get(name, "") for name in ("Case", "VerbForm", "PronType", "Mood"))
    agreement = "|".join(feats.get(name, "") for name in ("Number", "Gender", "Person"))
    return (
        word[FORM].lower(),
        word[LEMMA] if word[LEMMA] != "_" else word[FORM].lower(),
        word[UPOS],
        f"{word[UPOS]} {word[XPOS]}",
        f"{word[UPOS]} {word[FEATS]}",
        f"{word[UPOS]} {kind}",
        agreement,
    )


def pair_values(sentence: Sentence) -> Values:
    """`values[name, place, place]`: direction, distance and what is between two words, by `PAIR_VALUES`."""
    places = np.arange(len(sentence) + 2)
    offset = places[np.newaxis, :] - places[:, np.newaxis]
    direction = (offset > 0).astype(np.int64)
    distance = np.searchsorted(_DISTANCES, np.abs(offset), side="right")
    # The root and none are not places in the sentence, so nothing has a distance from them.
    for end in (0, -1):
        direction[end, :] = direction[:, end] = 2
        distance[end, :] = distance[:, end] = 0
    before = _counts_before(sentence)
    low, high = np.minimum(places[:, None], places), np.maximum(places[:, None], places)
    between = np.clip(before[:, high] - before[:, np.minimum(low + 1, high)], 0, _MOST_BETWEEN)
    return np.array([direction + 1, 10 * direction + distance, *between], dtype=np.uint64)


def _counts_before(sentence: Sentence) -> NDArray[np.int64]:
    """`counts[group, place]`: how many words of each group of tags are before a place."""
    tags = sentence.column(UPOS)
    counts = np.zeros((len(COUNTED), len(tags) + 2), dtype=np.int64)
    for row, group in zip(counts, COUNTED, strict=True):
        row[2:] = np.cumsum([tag in group for tag in tags])
    return counts
