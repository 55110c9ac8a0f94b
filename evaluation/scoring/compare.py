"""Compare aligned words key by key: for each pair of words, whether the system agrees with gold.

Each key of `profiles` is a method that compares all pairs at once, when a metric first needs it. Values are
compared as bytes; grouping equal values is only an optimisation.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from ..reading.features import UniversalFeatures
from ..reading.fields import Ints, Mask, equal, equals_text, indices
from ..reading.incidents import InvalidFile
from ..reading.intern import intern
from ..reading.layout import FEATS, FORM, LEMMA, UPOS, XPOS
from ..reading.treebank import Treebank
from ..reading.trees import ROOT
from .align import Alignment, align
from .given_tokens import compare_tokens
from .metric import Keep, Key
from .options import Options as Options
from .profile import Profile

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class CountedWords:
    """Masks of what counts: gold and system words by their own columns, pairs by their gold words.

    Metrics that count the same words have the same object.
    """

    gold: Mask
    system: Mask
    aligned: Mask

    @cached_property
    def sizes(self) -> tuple[int, int, int]:
        """The number of gold words, system words and pairs that count."""
        gold, system, aligned = (int(np.count_nonzero(m)) for m in (self.gold, self.system, self.aligned))
        return gold, system, aligned


class Comparison:
    """Two aligned files under a profile. `once`: the gold file will not be compared with another system."""

    def __init__(
        self, gold: Treebank, system: Treebank, profile: Profile, options: Options, *, once: bool = False
    ) -> None:
        self.gold, self.system, self.profile, self.options = gold, system, profile, options
        self._once = once
        if profile.tokens_given and not (report := compare_tokens(gold, system)).valid:
            raise InvalidFile(report)
        self.alignment: Alignment = align(gold, system, spaces=profile.spaces)
        # For each system word the gold word it aligns to, or a number that is neither a word nor ROOT.
        self.gold_of = np.full(system.words + 1, ROOT - 1, dtype=np.int64)
        self.gold_of[self.alignment.system] = self.alignment.gold
        # The pairs as rows of the two layouts.
        self._gold_rows = gold.rows_of(self.alignment.gold)
        self._system_rows = system.rows_of(self.alignment.system)
        self._counted_words: dict[Keep, CountedWords] = {}
        self._computed: dict[Callable[[Comparison], Any], Any] = {}

    def with_subtypes(self) -> Comparison:
        """The same comparison of full relations; all that does not depend on relations is shared."""
        if self.options.subtypes:
            return self
        other = copy(self)
        other.options = replace(self.options, subtypes=True)
        other._counted_words, other._computed = {}, {}
        for name in ("relation", "functional_children", "_relations"):
            other.__dict__.pop(name, None)
        return other

    def compute(self, function: Callable[[Comparison], T]) -> T:
        """The value of a function of this comparison, computed once."""
        if function not in self._computed:
            self._computed[function] = function(self)
        value: T = self._computed[function]
        return value

    def agrees(self, key: Key) -> Mask:
        """For each aligned pair, whether the system word agrees with the gold word in one key."""
        agrees: Mask = getattr(self, key) if isinstance(key, str) else self.compute(key)
        return agrees

    def counted_words(self, keep: Keep) -> CountedWords:
        """The words that count: `all`, `content` words, those that an option about punctuation selects, or
        those that a function selects."""
        if keep not in self._counted_words:
            gold, system = getattr(self, f"_keep_{keep}")() if isinstance(keep, str) else keep(self)
            self._counted_words[keep] = CountedWords(gold, system, gold[self.alignment.gold])
        return self._counted_words[keep]

    def _same(self, first: int, last: int, gold_rows: Ints, system_rows: Ints) -> Mask:
        """Whether the columns `first` to `last` are the same in rows of the two files."""
        return equal(
            self.gold.layout.columns(first, last, gold_rows),
            self.system.layout.columns(first, last, system_rows),
        )

    def _same_tag(self, column: int) -> Mask:
        """Whether a column from UPOS to FEATS is the same; most pairs agree in all of them."""
        differing, gold_rows, system_rows = self._differing_tags
        agrees = np.ones(len(self._gold_rows), dtype=bool)
        agrees[differing] = self._same(column, column, gold_rows, system_rows)
        return agrees

    @cached_property
    def _differing_tags(self) -> tuple[Ints, Ints, Ints]:
        """The pairs with a difference in UPOS to FEATS, and their rows on both sides."""
        pairs = indices(~self._same(UPOS, FEATS, self._gold_rows, self._system_rows))
        return pairs, self._gold_rows[pairs], self._system_rows[pairs]

    @cached_property
    def upos(self) -> Mask:
        return self._same_tag(UPOS)

    @cached_property
    def xpos(self) -> Mask:
        return self._same_tag(XPOS)

    @cached_property
    def feats(self) -> Mask:
        return self._same_tag(FEATS)

    @cached_property
    def lemma(self) -> Mask:
        return self._same(LEMMA, LEMMA, self._gold_rows, self._system_rows)

    @cached_property
    def lemma_if_gold(self) -> Mask:
        """A gold lemma `_` means that there is none; then every system lemma is correct."""
        agrees = self.lemma.copy()
        differing = indices(~agrees)
        agrees[differing] = equals_text(self.gold.layout.column(LEMMA, self._gold_rows[differing]), b"_")
        return agrees

    @cached_property
    def universal_feats(self) -> Mask:
        """Equal after all but the universal features are dropped and the rest is sorted."""
        agrees = self.feats.copy()
        differing = indices(~agrees)
        if self._once:
            gold = UniversalFeatures(self.gold.layout.column(FEATS, self._gold_rows[differing]))
            gold_codes = gold.codes
        else:
            gold = self.gold.universal_features
            gold_codes = gold.codes[self.alignment.gold[differing]]
        system = UniversalFeatures(self.system.layout.column(FEATS, self._system_rows[differing]), like=gold)
        agrees[differing] = gold_codes == system.codes
        return agrees

    @cached_property
    def head(self) -> Mask:
        """Whether the system's head aligns to the gold head; the root matches only the root."""
        gold_parent = self.gold.parent[self.alignment.gold]
        system_parent = self.system.parent[self.alignment.system]
        partner = np.where(system_parent == ROOT, ROOT, self.gold_of[system_parent])
        agrees: Mask = partner == gold_parent
        return agrees

    @cached_property
    def relation(self) -> Mask:
        gold, system = self._relation_codes
        agrees: Mask = gold[self.alignment.gold] == system[self.alignment.system]
        return agrees

    @cached_property
    def full_relation(self) -> Mask:
        """The same relation including its subtype, whatever the option says."""
        full: Mask = self.with_subtypes().relation
        return full

    @cached_property
    def functional_children(self) -> Mask:
        """The functional children of both words are the same words with the same relation, UPOS and features.

        The alignment keeps the order of words, so lists of children agree exactly when every child on either
        side agrees with a partner on the other.
        """
        functional = self._relation_flags(self.profile.functional)
        same = self.head & self.relation & self.upos & self.universal_feats
        agrees = np.ones(len(same), dtype=bool)
        sides = (self.gold, self.alignment.gold), (self.system, self.alignment.system)
        for (side, words), is_functional in zip(sides, functional, strict=True):
            is_functional[words[same]] = False
            # One more entry, for the root.
            has_other = np.zeros(side.words + 1, dtype=bool)
            has_other[side.parent[is_functional]] = True
            agrees &= ~has_other[words]
        return agrees

    def _keep_all(self) -> tuple[Mask, Mask]:
        return np.ones(self.gold.words, dtype=bool), np.ones(self.system.words, dtype=bool)

    def _keep_content(self) -> tuple[Mask, Mask]:
        names = [_universal_relation(value) for value in self._relation_values]
        content = np.array([self.profile.is_content(name) for name in names], dtype=bool)
        return content[self._relation_codes[0]], content[self._relation_codes[1]]

    def _keep_relation(self) -> tuple[Mask, Mask]:
        gold, system = self._relation_flags(frozenset({"punct"}))
        return ~gold, ~system

    def _keep_form(self) -> tuple[Mask, Mask]:
        spaces = self.profile.spaces
        return _has_letters(self.gold, spaces), _has_letters(self.system, spaces)

    @cached_property
    def _relations(self) -> tuple[tuple[Ints, Ints], list[str]]:
        """Codes that are equal exactly if the relations are, and the relation of each code."""
        subtypes = self.options.subtypes
        gold, system = (
            side.relations if subtypes else side.universal_relations for side in (self.gold, self.system)
        )
        known = {name: code for code, name in enumerate(gold.names)}
        of_system = np.array([known.setdefault(name, len(known)) for name in system.names], dtype=np.int64)
        return (gold.codes, of_system[system.codes]), list(known)

    @property
    def _relation_codes(self) -> tuple[Ints, Ints]:
        return self._relations[0]

    @property
    def _relation_values(self) -> list[str]:
        return self._relations[1]

    def _relation_flags(self, relations: frozenset[str]) -> tuple[Mask, Mask]:
        """Which gold and system words have one of these relations, regardless of subtype."""
        names = [_universal_relation(value) for value in self._relation_values]
        flags = np.array([name in relations for name in names], dtype=bool)
        return flags[self._relation_codes[0]], flags[self._relation_codes[1]]


def _universal_relation(relation: str) -> str:
    return relation.split(":", 1)[0]


def _has_letters(treebank: Treebank, spaces: tuple[bytes, ...]) -> Mask:
    """Which words have a character that is neither punctuation nor a space that the profile removes."""
    removed = {space.decode() for space in spaces}
    forms = intern(treebank.column(FORM))
    flags = [
        any(not unicodedata.category(c).startswith("P") for c in set(value.decode()) - removed)
        for value in forms.values()
    ]
    return np.array(flags, dtype=bool)[forms.codes]
