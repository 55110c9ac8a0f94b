"""HEADs: from numbers within sentences to one array of parents, and whether they form trees."""

from __future__ import annotations

from functools import partial

import numpy as np

from evaluation.reading.decimals import decimals
from evaluation.reading.fields import Fields, Ints, Mask, indices
from evaluation.reading.incidents import Collector, Incident, visible

ROOT = -1
_SHOWN_WORDS = 8


class Forest:
    """The words of a file with their HEADs, sentence by sentence; builds the parents and checks the trees."""

    def __init__(
        self,
        heads: Fields,
        line: Ints,
        sentence: Ints,
        first_word: Ints,
        well_formed: Mask,
        collector: Collector,
    ) -> None:
        self._heads = heads
        self._line = line
        self._sentence = sentence
        self._first = first_word[sentence]
        self._size = np.diff(first_word)[sentence]
        self._well_formed = well_formed
        self._collector = collector

    def parents(self, broken: Mask) -> Ints:
        """The parent of each word: an index over the file, or ROOT.

        In a broken sentence, where lines are missing or misnumbered, nobody knows where a HEAD points: there
        it must be a number and no more is checked.
        """
        head, is_number = decimals(self._heads)
        outside = head > self._size
        if not is_number.all():
            self._check_numbers(indices(~is_number & self._well_formed))
        if outside.any():
            at_fault = outside & ~broken[self._sentence]
            self._collector.add("head-outside", indices(at_fault), self._describe_outside)

        parent = self._first + head - 1
        unusable = ~is_number | outside
        parent[unusable | (head == 0)] = ROOT
        broken = broken.copy()
        broken[self._sentence[unusable]] = True
        # Without a root there must be a cycle: one fault, one incident.
        self._check_cycles(parent, broken | self._check_roots(parent, broken))
        return parent

    def _at(self, word: int) -> tuple[int, int]:
        return int(self._line[word]) + 1, int(self._sentence[word]) + 1

    def _check_numbers(self, words: Ints) -> None:
        heads = self._heads[words]
        # No HEAD is at the end of a file, so there is a byte behind the minus.
        digits = Fields(heads.data, heads.start + 1, np.maximum(heads.length - 1, 0))
        negative = (heads.data[heads.start] == ord("-")) & decimals(digits)[1]
        for id, expected, at_fault in (
            ("head-negative", "0 or the ID of a word", negative),
            ("head-malformed", "a plain decimal number", ~negative),
        ):
            self._collector.add(id, words[at_fault], partial(self._describe_number, id, expected))

    def _describe_number(self, id: str, expected: str, word: int) -> Incident:
        return Incident(id, *self._at(word), f"“{visible(self._heads.text_at(word))}”", expected)

    def _describe_outside(self, word: int) -> Incident:
        head, size = visible(self._heads.text_at(word)), int(self._size[word])
        hint = f"HEAD {head} but the sentence has {size} word{'s' if size != 1 else ''}."
        return Incident("head-outside", *self._at(word), head, f"at most {size}", hint)

    def _check_roots(self, parent: Ints, broken: Mask) -> Mask:
        """Every sentence has one root; those that have none are returned."""
        roots = indices(parent == ROOT)
        sentence_of_root = self._sentence[roots]
        found = np.bincount(sentence_of_root, minlength=len(broken))
        rootless: Mask = (found == 0) & ~broken
        if (found == 1).all():
            return rootless
        first_word = np.searchsorted(self._sentence, np.arange(len(broken)))
        first_root = np.searchsorted(sentence_of_root, np.arange(len(broken)))

        def describe_none(sentence: int) -> Incident:
            line, number = self._at(int(first_word[sentence]))
            return Incident("no-root", line, number, "no HEAD 0", "one HEAD 0")

        def describe_several(sentence: int) -> Incident:
            count = int(found[sentence])
            words = roots[first_root[sentence] :][: min(count, _SHOWN_WORDS)]
            ids = ", ".join(str(w - self._first[w] + 1) for w in words)
            more = ", …" if count > _SHOWN_WORDS else ""
            return Incident("several-roots", *self._at(int(words[1])), f"{count} (words {ids}{more})", "1")

        self._collector.add("no-root", indices(rootless), describe_none)
        self._collector.add("several-roots", indices((found > 1) & ~broken), describe_several)
        return rootless

    def _check_cycles(self, parent: Ints, broken: Mask) -> None:
        """Every word must reach a root; doubling the steps makes that cheap however deep the tree is."""
        reached = np.where(parent == ROOT, np.arange(len(parent)), parent)
        rounds = int(self._size.max(initial=1)).bit_length() + 1
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
        while len(cycle) <= _SHOWN_WORDS and parent[cycle[-1]] != lowest:
            cycle.append(int(parent[cycle[-1]]))
        ids = [str(w - int(self._first[w]) + 1) for w in cycle[:_SHOWN_WORDS]]
        end = "…" if len(cycle) > _SHOWN_WORDS else ids[0]
        return Incident("cycle", *self._at(lowest), " → ".join([*ids, end]), "heads that lead to the root")


def _lowest_on_cycle(words: Ints, following: Ints, rounds: int) -> Mask:
    """Which words are the lowest of their cycles: the minimum over ever longer stretches, by doubling."""
    lowest = words.copy()
    for _ in range(rounds):
        lowest = np.minimum(lowest, lowest[following])
        following = following[following]
    result: Mask = lowest == words
    return result
