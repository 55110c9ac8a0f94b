"""Aligned words, key by key: for each pair of words, does the system agree with gold?

Each key of `profiles` is a method that answers for all pairs at once; it is asked when a metric needs it and
answered once. Values are compared as bytes; groups of equal values only shorten the work.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from evaluation.reading.features import Features, UniversalFeatures
from evaluation.reading.fields import Ints, Mask, equal, equals_text, intern
from evaluation.reading.layout import FEATS, FORM, LEMMA, UPOS, XPOS
from evaluation.reading.treebank import Treebank
from evaluation.reading.trees import ROOT
from evaluation.scoring.align import Alignment, align
from evaluation.scoring.profiles import Profile

Punctuation = Literal["all", "relation", "form"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Departures from a profile. Every one of them is in the signature.

    punctuation: `all` words count in UAS, LAS and LA; `relation` leaves out words whose own relation is
    `punct`; `form` leaves out words whose FORM is nothing but Unicode punctuation.
    subtypes: compare `nsubj:pass` as it stands instead of cutting it to `nsubj`.
    label_accuracy: report LA as well.
    """

    punctuation: Punctuation = "all"
    subtypes: bool = False
    label_accuracy: bool = False


class Comparison:
    """Two aligned files under a profile. `once` says that gold will not be compared again."""

    def __init__(
        self, gold: Treebank, system: Treebank, profile: Profile, options: Options, *, once: bool = False
    ) -> None:
        self.gold, self.system, self.profile, self.options = gold, system, profile, options
        self._once = once
        self.alignment: Alignment = align(gold, system, spaces=profile.spaces)
        # For each system word the gold word it aligns to, or a number that is neither a word nor the root.
        self._gold_of = np.full(system.words + 1, ROOT - 1, dtype=np.int64)
        self._gold_of[self.alignment.system] = self.alignment.gold
        # The pairs as rows of the two layouts.
        self._gold_rows = gold.word_rows[self.alignment.gold]
        self._system_rows = system.word_rows[self.alignment.system]
        self._kept: dict[str, tuple[Mask, Mask, Mask]] = {}

    def agrees(self, key: str) -> Mask:
        """For each aligned pair, whether the system word agrees with the gold word in one key."""
        return getattr(self, key)  # type: ignore[no-any-return]

    def kept(self, keep: str) -> tuple[Mask, Mask, Mask]:
        """The words that count: `all`, the `content` words, or those that a choice about punctuation leaves.

        Masks over gold words and system words, each by its own columns, and over pairs by their gold words.
        """
        if keep not in self._kept:
            gold, system = getattr(self, f"_keep_{keep}")()
            self._kept[keep] = gold, system, gold[self.alignment.gold]
        return self._kept[keep]

    def _same(self, first: int, last: int, pairs: Ints | None = None) -> Mask:
        """Whether columns are the same, for every pair or for some."""
        gold, system = self._gold_rows, self._system_rows
        if pairs is not None:
            gold, system = gold[pairs], system[pairs]
        return equal(
            self.gold.layout.columns(first, last, gold), self.system.layout.columns(first, last, system)
        )

    def _same_tag(self, column: int) -> Mask:
        """Whether one of the columns UPOS to FEATS is the same: most often all of them are."""
        agrees = self._same_tags.copy()
        open_pairs = np.flatnonzero(~agrees)
        agrees[open_pairs] = self._same(column, column, open_pairs)
        return agrees

    @cached_property
    def _same_tags(self) -> Mask:
        return self._same(UPOS, FEATS)

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
        return self._same(LEMMA, LEMMA)

    @cached_property
    def lemma_if_gold(self) -> Mask:
        """A gold lemma `_` says that there is none, and then whatever the system gives is right."""
        agrees = self.lemma.copy()
        open_pairs = np.flatnonzero(~agrees)
        agrees[open_pairs] = equals_text(self.gold.layout.column(LEMMA, self._gold_rows[open_pairs]), b"_")
        return agrees

    @cached_property
    def universal_feats(self) -> Mask:
        """Equal after all but the universal features are dropped and the rest is sorted."""
        agrees = self.feats.copy()
        open_pairs = np.flatnonzero(~agrees)
        if self._once:
            gold = UniversalFeatures(self.gold.layout.column(FEATS, self._gold_rows[open_pairs]))
            gold_codes = gold.codes
        else:
            gold = self.gold.universal_features
            gold_codes = gold.codes[self.alignment.gold[open_pairs]]
        system = UniversalFeatures(
            self.system.layout.column(FEATS, self._system_rows[open_pairs]), known=gold.of_value
        )
        numbers: dict[Features, int] = {}
        of_gold, of_system = (
            np.array([numbers.setdefault(f, len(numbers)) for f in side.of_value.values()], dtype=np.int64)
            for side in (gold, system)
        )
        agrees[open_pairs] = of_gold[gold_codes] == of_system[system.codes]
        return agrees

    @cached_property
    def head(self) -> Mask:
        """The system's head is the gold head when it aligns to it; the root is only the root."""
        gold_parent = self.gold.parent[self.alignment.gold]
        system_parent = self.system.parent[self.alignment.system]
        partner = np.where(system_parent == ROOT, ROOT, self._gold_of[system_parent])
        agrees: Mask = partner == gold_parent
        return agrees

    @cached_property
    def relation(self) -> Mask:
        gold, system = self._relation_codes
        agrees: Mask = gold[self.alignment.gold] == system[self.alignment.system]
        return agrees

    @cached_property
    def functional_children(self) -> Mask:
        """The functional children of both words are the same words with the same relation, UPOS and features.

        The alignment keeps the order of words, so lists of children agree exactly when they are equally long
        and every child on one side agrees with its partner on the other.
        """
        functional = self._relation_flags(self.profile.functional)
        children = []
        for side, is_functional in zip((self.gold, self.system), functional, strict=True):
            parents = side.parent[is_functional & (side.parent != ROOT)]
            children.append(np.bincount(parents, minlength=side.words))
        same = self.head & self.relation & self.upos & self.universal_feats
        same &= functional[0][self.alignment.gold]
        parents = self.gold.parent[self.alignment.gold[same]]
        agreeing = np.bincount(parents[parents != ROOT], minlength=self.gold.words)[self.alignment.gold]
        in_gold, in_system = children[0][self.alignment.gold], children[1][self.alignment.system]
        agrees: Mask = (in_gold == in_system) & (in_gold == agreeing)
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
        """Codes that are equal exactly where the relations are, and the relation of each code."""
        known: dict[str, int] = {}
        codes = []
        for side in (self.gold, self.system):
            names = side.relation_names
            if not self.options.subtypes:
                names = [_universal_relation(name) for name in names]
            of_value = np.array([known.setdefault(name, len(known)) for name in names], dtype=np.int64)
            codes.append(of_value[side.relations.codes])
        return (codes[0], codes[1]), list(known)

    @property
    def _relation_codes(self) -> tuple[Ints, Ints]:
        return self._relations[0]

    @property
    def _relation_values(self) -> list[str]:
        return self._relations[1]

    def _relation_flags(self, wanted: frozenset[str]) -> tuple[Mask, Mask]:
        """Which gold and which system words have one of these relations, whatever the subtype."""
        names = [_universal_relation(value) for value in self._relation_values]
        flags = np.array([name in wanted for name in names], dtype=bool)
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
