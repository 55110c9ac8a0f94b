"""HEADs: from numbers within sentences to one array of parents, and whether they form trees."""

from __future__ import annotations

from functools import partial

import numpy as np

from evaluation.decimals import decimals
from evaluation.fields import Fields, Ints, Mask
from evaluation.incidents import Collector, Incident, visible

ROOT = -1
_SHOWN_CYCLE = 8


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
            self._check_numbers(np.flatnonzero(~is_number & self._well_formed))
        if outside.any():
            at_fault = outside & ~broken[self._sentence]
            self._collector.add("head-outside", np.flatnonzero(at_fault), self._describe_outside)

        parent = self._first + head - 1
        unusable = ~is_number | outside
        parent[unusable | (head == 0)] = ROOT
        broken = broken.copy()
        broken[self._sentence[unusable]] = True
        self._check_roots(parent, broken)
        self._check_cycles(parent, broken)
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

    def _check_roots(self, parent: Ints, broken: Mask) -> None:
        roots = np.flatnonzero(parent == ROOT)
        found = np.bincount(self._sentence[roots], minlength=len(broken))
        if (found == 1).all():
            return
        first_of_sentence = np.searchsorted(self._sentence, np.arange(len(broken)))
        self._collector.add(
            "no-root",
            np.flatnonzero((found == 0) & ~broken),
            lambda s: Incident(
                "no-root", int(self._line[first_of_sentence[s]]) + 1, s + 1, "no HEAD 0", "one HEAD 0"
            ),
        )
        root_of = np.searchsorted(self._sentence[roots], np.arange(len(broken)))

        def describe(sentence: int) -> Incident:
            words = roots[root_of[sentence] : root_of[sentence] + min(int(found[sentence]), _SHOWN_CYCLE)]
            ids = ", ".join(str(w - self._first[w] + 1) for w in words)
            more = ", …" if found[sentence] > _SHOWN_CYCLE else ""
            told = f"{found[sentence]} (words {ids}{more})"
            return Incident("several-roots", int(self._line[words[1]]) + 1, sentence + 1, told, "1")

        self._collector.add("several-roots", np.flatnonzero((found > 1) & ~broken), describe)

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
        while len(cycle) <= _SHOWN_CYCLE and parent[cycle[-1]] != lowest:
            cycle.append(int(parent[cycle[-1]]))
        ids = [str(w - int(self._first[w]) + 1) for w in cycle[:_SHOWN_CYCLE]]
        end = "…" if len(cycle) > _SHOWN_CYCLE else ids[0]
        return Incident("cycle", *self._at(lowest), " → ".join([*ids, end]), "heads that lead to the root")


def _lowest_on_cycle(words: Ints, following: Ints, rounds: int) -> Mask:
    """Which words are the lowest of their cycles: the minimum over ever longer stretches, by doubling."""
    lowest = words.copy()
    for _ in range(rounds):
        lowest = np.minimum(lowest, lowest[following])
        following = following[following]
    result: Mask = lowest == words
    return result
