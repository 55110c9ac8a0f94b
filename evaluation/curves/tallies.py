"""Which heads every sample of a series gets right, word by word: small enough to be stored.

In: `Attachments`. Out: `Tallies`, from which the scores of a series follow under any partition of the
classes, such as that of another series, with the same replicates as the analyses have.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..packing import narrow, pack, unpack
from ..reading.fields import Ints
from .attachments import Attachments
from .classes import CRITERIA, Classes, classify
from .counts import Counts
from .measures import PARTS

FORMAT = "right heads of samples 1"
_ARRAYS = "shape", "samples", "sentence", "right"


@dataclass(frozen=True, slots=True, eq=False)
class Tallies:
    """One test set: the words that count, and which of them each sample has right."""

    name: str
    # The number of sentences, and that of samples by size.
    sentences: int
    samples: Mapping[int, int]
    # By word: its sentence, and the bits of the samples, size by size, that have its head.
    sentence: Ints
    right: NDArray[np.uint8]
    # By criterion: the names of the classes, and the class of each word.
    classes: Mapping[str, tuple[Sequence[str], Ints]]

    def partition(self, by: str, simple: Collection[str]) -> Counts:
        """The counts of two classes: the words of classes that are simple, and all others."""
        names, codes = self.classes[by]
        is_complex = np.array([name not in simple for name in names], dtype=np.int64)
        outputs = sum(self.samples.values())
        right = np.unpackbits(self.right, axis=1, count=outputs).astype(bool)
        cells = self.sentence.astype(np.int64) * 2 + is_complex[codes]
        ends = np.cumsum([0, *self.samples.values()]).tolist()

        def table(counted: Ints) -> NDArray[np.unsignedinteger]:
            counts = np.bincount(counted, minlength=2 * self.sentences).reshape(-1, 2)
            return counts.astype(np.min_scalar_type(int(counts.max(initial=0))))

        return Counts(
            name=self.name,
            by=by,
            classes=Classes(PARTS[1:], np.arange(len(cells)), is_complex[codes], ()),
            sizes=tuple(self.samples),
            outputs_of_size=tuple(tuple(range(*ends[n : n + 2])) for n in range(len(self.samples))),
            systems={},
            words=table(cells),
            right=tuple(table(cells[right[:, output]]) for output in range(outputs)),
        )


def tally(attachments: Attachments) -> Tallies:
    gold = attachments.gold
    classes = {by: classify(gold, by) for by in CRITERIA}
    words = next(iter(classes.values())).words
    masks = [mask[words] for of_size in attachments.samples.values() for mask in of_size.values()]
    return Tallies(
        name=attachments.name,
        sentences=gold.sentences,
        samples={size: len(of_size) for size, of_size in attachments.samples.items()},
        sentence=gold.sentence[words],
        right=np.packbits(np.stack(masks, axis=1), axis=1),
        classes={by: (each.names, each.codes) for by, each in classes.items()},
    )


def to_bytes(tallies: Sequence[Tallies]) -> bytes:
    arrays: dict[str, NDArray[Any]] = {}
    strings = {"names": [each.name for each in tallies]}
    for n, each in enumerate(tallies):
        samples = np.array(list(each.samples.items()))
        values: list[NDArray[Any]] = [np.array([each.sentences]), samples, each.sentence, each.right]
        arrays |= {f"{name} {n}": narrow(array) for name, array in zip(_ARRAYS, values, strict=True)}
        for by, (names, codes) in each.classes.items():
            arrays[f"{by} {n}"] = narrow(codes)
            strings[f"{by} {n}"] = list(names)
    return pack(FORMAT, arrays, strings)


def from_bytes(stored: bytes) -> dict[str, Tallies]:
    """By the name of the test set; ValueError if `to_bytes` did not write it."""
    arrays, strings = unpack(FORMAT, stored)
    try:
        return {name: _read(name, n, arrays, strings) for n, name in enumerate(strings["names"])}
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise ValueError(f"damaged {FORMAT}: {error}") from error


def _read(
    name: str, n: int, arrays: Mapping[str, NDArray[Any]], strings: Mapping[str, Sequence[str]]
) -> Tallies:
    shape, samples, sentence, right = (arrays[f"{field} {n}"] for field in _ARRAYS)
    return Tallies(
        name=name,
        sentences=int(shape[0]),
        samples={int(size): int(number) for size, number in samples},
        sentence=sentence,
        right=right,
        classes={by: (strings[f"{by} {n}"], arrays[f"{by} {n}"]) for by in CRITERIA},
    )
