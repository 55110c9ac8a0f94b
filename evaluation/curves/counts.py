"""Integer counts by sentence and class: all that figures and their replicates are computed from.

In: `Attachments` and a criterion. Out: `Counts`. `Totals` are the counts of the whole file or, with a leading
axis, of every replicate of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..reading.fields import Ints, Mask
from .attachments import Attachments
from .classes import Classes, classify
from .folders import BadSeries

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Totals:
    """`words[…, class]` and `right[…, output, class]`."""

    words: Floats
    right: Floats

    def merged(self, groups: Sequence[Mask]) -> Totals:
        """With groups of classes in the place of classes."""
        members = np.stack(groups, axis=-1).astype(np.float64)
        return Totals(self.words @ members, self.right @ members)


@dataclass(frozen=True, slots=True)
class Counts:
    """One test set by the classes of one criterion.

    The outputs are the samples, size by size, and then the systems: `outputs_of_size[n]` are the indices of
    the samples of the n-th size, `systems` has the index of every system.
    """

    name: str
    by: str
    classes: Classes
    sizes: tuple[int, ...]
    outputs_of_size: tuple[tuple[int, ...], ...]
    systems: dict[str, int]
    # Sentences × classes, and outputs × sentences × classes, in the narrowest type.
    words: NDArray[np.unsignedinteger]
    right: tuple[NDArray[np.unsignedinteger], ...]

    @property
    def sentences(self) -> int:
        return len(self.words)

    def totals(self) -> Totals:
        right = [of_output.sum(axis=0, dtype=np.int64) for of_output in self.right]
        words = self.words.sum(axis=0, dtype=np.int64)
        return Totals(words.astype(np.float64), np.stack(right).astype(np.float64))

    def resampled(self, drawn: NDArray[np.float32]) -> Totals:
        """The totals of replicates, exact: `drawn` says how often each has each sentence."""
        multiplicity = drawn.astype(np.float64)
        right = [multiplicity @ of_output for of_output in self.right]
        return Totals(multiplicity @ self.words, np.stack(right, axis=-2))


def count(attachments: Attachments, by: str) -> Counts:
    """Count the words and the right heads of every class; raises BadSeries if no word counts."""
    gold = attachments.gold
    classes = classify(gold, by)
    if not len(classes.words):
        raise BadSeries(f"{gold.name}: all words are punctuation, so there is nothing to score")
    cells = gold.sentence[classes.words] * len(classes.names) + classes.codes
    shape = gold.sentences, len(classes.names)

    def table(counted: Ints) -> NDArray[np.unsignedinteger]:
        cell_counts = np.bincount(counted, minlength=shape[0] * shape[1]).reshape(shape)
        return cell_counts.astype(np.min_scalar_type(int(cell_counts.max(initial=0))))

    masks = [mask for of_size in attachments.samples.values() for mask in of_size.values()]
    ends = np.cumsum([0, *(len(of_size) for of_size in attachments.samples.values())]).tolist()
    systems = {name: ends[-1] + n for n, name in enumerate(attachments.systems)}
    masks += attachments.systems.values()
    return Counts(
        name=attachments.name,
        by=by,
        classes=classes,
        sizes=tuple(attachments.samples),
        outputs_of_size=tuple(tuple(range(*ends[n : n + 2])) for n in range(len(ends) - 1)),
        systems=systems,
        words=table(cells),
        right=tuple(table(cells[mask[classes.words]]) for mask in masks),
    )
