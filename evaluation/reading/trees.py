"""HEADs: convert them to one array of parents, and check that they form trees."""

from __future__ import annotations

from functools import partial

import numpy as np

from .decimals import parse_decimals
from .fields import Fields, Ints, Mask, indices
from .incidents import Collector, Incident, visible_bytes
from .layout import HEAD, Layout

ROOT = -1
_MAX_LISTED = 8
# The number of words per block, which bounds the memory of intermediate results.
_BLOCK = 1 << 17


class Forest:
    """The words of a file with their HEADs, sentence by sentence; builds the parents and checks the trees."""

    def __init__(
        self,
        layout: Layout,
        word_rows: Ints,
        sentence: Ints,
        first_word: Ints,
        collector: Collector,
        *,
        several_roots: bool = False,
    ) -> None:
        self._several_roots = several_roots
        self._layout = layout
        self._rows = word_rows
        self._sentence = sentence
        self._first_word = first_word
        self._collector = collector

    def parents(self, broken: Mask) -> Ints:
        """The parent of each word: an index over the file, or ROOT.

        In a broken sentence, where lines are missing or misnumbered, the target of a HEAD is unknown: there
        only its format is checked.
        """
        parent = np.empty(len(self._rows), dtype=np.int64)
        unusable = broken.copy()
        for begin in range(0, len(parent), _BLOCK):
            block = slice(begin, min(begin + _BLOCK, len(parent)))
            parent[block] = self._parents_of_block(block, broken, unusable)
        # A sentence without a root must have a cycle; only one of the two is reported.
        self._check_cycles(parent, unusable | self._check_roots(parent, unusable))
        return parent

    def _parents_of_block(self, block: slice, broken: Mask, unusable: Mask) -> Ints:
        """The parents of some words; sentences with an invalid HEAD are marked in `unusable`."""
        heads = self._layout.column(HEAD, self._rows[block])
        sentence = self._sentence[block]
        first = self._first_word[sentence]
        size = self._first_word[1:][sentence] - first
        head, is_number = parse_decimals(heads)
        outside = head > size
        is_invalid = outside
        if not is_number.all():
            is_invalid = outside | ~is_number
            malformed = indices(~is_number & self._layout.well_formed[self._rows[block]])
            self._check_numbers(block.start, malformed, heads[malformed])
        if outside.any():
            words = indices(outside & ~broken[sentence])
            self._collector.add("head-outside", words + block.start, self._describe_outside)
        parent: Ints = first + head - 1
        parent[is_invalid | (head == 0)] = ROOT
        unusable[sentence[is_invalid]] = True
        return parent

    def _location(self, word: int) -> tuple[int, int]:
        return int(self._layout.line[self._rows[word]]) + 1, int(self._sentence[word]) + 1

    def _id(self, word: int) -> int:
        return word - int(self._first_word[self._sentence[word]]) + 1

    def _head(self, word: int) -> str:
        """A HEAD as it is printed in messages."""
        return visible_bytes(self._layout.column(HEAD, self._rows[word : word + 1]).bytes_at(0))

    def _check_numbers(self, begin: int, words: Ints, heads: Fields) -> None:
        # No HEAD is at the end of a file, so there is a byte after the minus.
        digits = Fields(heads.data, heads.start + 1, np.maximum(heads.length - 1, 0))
        negative = (heads.data[heads.start] == ord("-")) & parse_decimals(digits)[1]
        for id, expected, is_wrong in (
            ("head-negative", "0 or the ID of a word", negative),
            ("head-malformed", "a decimal number", ~negative),
        ):
            self._collector.add(id, words[is_wrong] + begin, partial(self._describe_number, id, expected))

    def _describe_number(self, id: str, expected: str, word: int) -> Incident:
        return Incident(id, *self._location(word), f"“{self._head(word)}”", expected)

    def _describe_outside(self, word: int) -> Incident:
        head, sentence = self._head(word), int(self._sentence[word])
        size = int(self._first_word[sentence + 1] - self._first_word[sentence])
        hint = f"HEAD is {head}, but the sentence has {size} word{'s' if size != 1 else ''}."
        return Incident("head-outside", *self._location(word), head, f"at most {size}", hint)

    def _check_roots(self, parent: Ints, broken: Mask) -> Mask:
        """Check that every sentence has one root; returns the sentences without one.

        Where several roots are allowed, a sentence without one is reported by its cycle, which says more.
        """
        if self._several_roots:
            return np.zeros(len(broken), dtype=np.bool_)
        roots = indices(parent == ROOT)
        sentence_of_root = self._sentence[roots]
        root_count = np.bincount(sentence_of_root, minlength=len(broken))
        rootless: Mask = (root_count == 0) & ~broken
        if (root_count == 1).all():
            return rootless

        def describe_none(sentence: int) -> Incident:
            line, number = self._location(int(self._first_word[sentence]))
            return Incident("no-root", line, number, "no HEAD 0", "one HEAD 0")

        def describe_several(sentence: int) -> Incident:
            count = int(root_count[sentence])
            first = int(np.searchsorted(sentence_of_root, sentence))
            words = roots[first:][: min(count, _MAX_LISTED)].tolist()
            ids = ", ".join(str(self._id(w)) for w in words)
            more = ", …" if count > _MAX_LISTED else ""
            return Incident(
                "several-roots", *self._location(int(words[1])), f"{count} (words {ids}{more})", "1"
            )

        self._collector.add("no-root", indices(rootless), describe_none)
        self._collector.add("several-roots", indices((root_count > 1) & ~broken), describe_several)
        return rootless

    def _check_cycles(self, parent: Ints, broken: Mask) -> None:
        """Check that every word reaches a root; doubling the steps makes this fast for deep trees."""
        reached = parent.copy()
        is_root = parent == ROOT
        reached[is_root] = indices(is_root)
        rounds = int(np.diff(self._first_word).max(initial=1)).bit_length() + 1
        for _ in range(rounds):
            further = reached[reached]
            if np.array_equal(further, reached):
                break
            reached = further
        stuck = (parent[reached] != ROOT) & ~broken[self._sentence]
        if not stuck.any():
            return
        # A word that never reaches a root ends, after enough steps, on the cycle itself.
        on_cycle = np.unique(reached[stuck])
        lowest = _lowest_on_cycle(on_cycle, np.searchsorted(on_cycle, parent[on_cycle]), rounds)
        self._collector.add("cycle", on_cycle[lowest], partial(self._describe_cycle, parent))

    def _describe_cycle(self, parent: Ints, lowest: int) -> Incident:
        cycle = [lowest]
        while len(cycle) <= _MAX_LISTED and parent[cycle[-1]] != lowest:
            cycle.append(int(parent[cycle[-1]]))
        ids = [str(self._id(w)) for w in cycle[:_MAX_LISTED]]
        end = "…" if len(cycle) > _MAX_LISTED else ids[0]
        return Incident(
            "cycle", *self._location(lowest), " → ".join([*ids, end]), "heads that lead to the root"
        )


def _lowest_on_cycle(words: Ints, following: Ints, rounds: int) -> Mask:
    """Which words are the lowest of their cycles: the minimum over paths of doubling length."""
    lowest = words.copy()
    for _ in range(rounds):
        lowest = np.minimum(lowest, lowest[following])
        following = following[following]
    result: Mask = lowest == words
    return result
