"""The kinds of metrics: what each one sums by unit, and how figures follow from the sums.

Most metrics count words and are one line in the table of a profile (`WordMetric`). Others have a function
that turns a comparison into counts (`CountMetric`) or into a table (`TableMetric`). Whatever the kind, the
sums of the units add up to those of the file; averages, bootstrap and tables need nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..reading.fields import Ints, Mask

if TYPE_CHECKING:
    from .compare import Comparison
    from .table import Table

Floats = NDArray[np.float64]
TREE_KEYS = frozenset({"head", "relation", "full_relation", "functional_children"})
Items = Literal["words", "tokens", "sentences"]

# The name of a key in `Comparison`, or a function that says for each aligned pair whether it agrees.
Key: TypeAlias = "str | Callable[[Comparison], Mask]"
# The name of a selection in `Comparison`, or a function that gives the gold and system words that count.
Keep: TypeAlias = "str | Callable[[Comparison], tuple[Mask, Mask]]"


@dataclass(frozen=True, slots=True)
class Units:
    """The unit of each item of the two files, by kind of item; a system item counts where it begins."""

    number: int
    gold: dict[Items, Ints]
    system: dict[Items, Ints]

    def add_up(self, unit: Ints, weights: Any = None) -> Ints:
        """How many items each unit has, or the sum of their weights."""
        sums = np.bincount(unit, weights, minlength=self.number)
        return sums if weights is None else np.rint(sums).astype(np.int64)


@dataclass(frozen=True, slots=True)
class WordMetric:
    """Aligned pairs are correct if all `keys` agree; only words selected by `keep` count.

    An `accuracy` counts the words of gold alone: `system` is set equal to `gold`, so that F1 is recall.
    """

    keys: tuple[Key, ...] = ()
    keep: Keep = "all"
    # Whether the option about punctuation applies: it does to attachment scores over all words.
    punctuation_option: bool = False
    accuracy: bool = False
    # Of keys that are functions: whether they compare trees, which not every format has.
    trees: bool = False

    @property
    def needs_trees(self) -> bool:
        return self.trees or not TREE_KEYS.isdisjoint(self.keys)

    @property
    def is_about_arcs(self) -> bool:
        """Every error in it is a wrong head or relation, apart from words that are not aligned."""
        return bool(self.keys) and set(self.keys) <= {"head", "relation"}


@dataclass(frozen=True, slots=True)
class SpanMetric:
    """Tokens or sentences are correct if their boundaries are."""

    items: Literal["tokens", "sentences"]


@dataclass(frozen=True, slots=True)
class CountMetric:
    """`count` gives for every unit the numbers gold, system and correct: an array units × 3."""

    count: Callable[[Comparison, Units], Ints]
    trees: bool = False

    @property
    def needs_trees(self) -> bool:
        return self.trees


@dataclass(frozen=True, slots=True)
class TableMetric:
    """Figures that follow from a table of the profile.

    The rule is given the tables of one or more files or replicates, as an array whose last two axes are the
    rows and columns, and returns a figure for each.
    """

    table: str
    rule: Callable[[Floats], Floats]
    # A package that the rule needs and that not everybody has.
    needs: str = ""


Metric: TypeAlias = WordMetric | SpanMetric | CountMetric | TableMetric
TableFunction: TypeAlias = "Callable[[Comparison, Units], Table]"
# For each gold word and each system word the distance to its head: negative if it is before, 0 for roots.
Distances: TypeAlias = "Callable[[Comparison], tuple[Ints, Ints]]"

COUNT_METRICS = (WordMetric, SpanMetric, CountMetric)
"""Those with gold, system and correct, and so with precision, recall and F1."""
