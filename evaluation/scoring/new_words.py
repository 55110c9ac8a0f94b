"""New words: how many word types of a test set are not in its training data.

In: a test set and training data. Out: whole numbers, and their share. As secret as the test set.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..reading.layout import FORM
from ..reading.treebank import Labels, Treebank


@dataclass(frozen=True, slots=True, kw_only=True)
class NewWords:
    """Types are different forms of words, as they are written."""

    types: int
    new: int

    @property
    def share(self) -> float:
        return self.new / self.types if self.types else 0.0

    @property
    def percentage(self) -> str:
        return f"{100 * self.share:.2f}"


def new_words(test_set: Treebank, training: Treebank) -> NewWords:
    """
    >>> from ..reading.read import read
    >>> line = "{}\\t{}\\t_\\t_\\t_\\t_\\t{}\\tdep\\t_\\t_\\n"
    >>> text = lambda *forms: "".join(line.format(n + 1, form, n) for n, form in enumerate(forms)) + "\\n"
    >>> new_words(read(text("The", "bees", "the", "bees").encode()), read(text("The", "bee").encode()))
    NewWords(types=3, new=2)
    """
    types = word_types(test_set)
    return NewWords(types=len(types), new=len(types - word_types(training)))


def word_types(treebank: Treebank) -> frozenset[str]:
    return frozenset(Labels.from_fields(treebank.column(FORM)).names)
