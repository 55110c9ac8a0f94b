"""HEADs: from numbers within sentences to one array of parents, and whether they form trees."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from evaluation.fields import Fields, Ints, Mask, decimals
from evaluation.incidents import Collector, Incident, visible

ROOT = -1
_SHOWN_CYCLE = 8


class Forest:
    """The words of a file with their HEADs, sentence by sentence; builds the parents and checks the trees."""

    def __init__(
        self, heads: Fields, line: Ints, sentence: Ints, first_word: Ints, collector: Collector
    ) -> None:
        self._heads = heads
        self._line = line
        self._sentence = sentence
        self._first = first_word[sentence]
        self._size = np.diff(first_word)[sentence]
        self._collector = collector

    def parents(self, broken: Mask) -> Ints:
        """The parent of each word: an index over the file, or ROOT. Broken sentences are not checked."""
        head, is_number = decimals(self._heads)
        to_check = ~broken[self._sentence]
        self._check_numbers(~is_number & to_check)
        outside = is_number & (head > self._size)
        self._collector.add("head-outside", np.flatnonzero(outside & to_check), self._describe_outside(head))

        parent = np.where(head > 0, self._first + head - 1, ROOT)
        unusable = ~is_number | outside
        parent[unusable] = ROOT
        if unusable.any() or broken.any():
            broken = broken.copy()
            broken[self._sentence[unusable]] = True
        self._check_roots(parent, broken)
        self._check_cycles(parent, broken)
        return parent

    def _at(self, word: int) -> tuple[int, int]:
        return int(self._line[word]) + 1, int(self._sentence[word]) + 1

    def _check_numbers(self, malformed: Mask) -> None:
        if not malformed.any():
            return
        words = np.flatnonzero(malformed)
        begins_with_minus = self._heads.data[self._heads.start[words]] == ord("-")
        digits = Fields(self._heads.data, self._heads.start[words] + 1, self._heads.length[words] - 1)
        negative = begins_with_minus & (self._heads.length[words] > 1) & decimals(digits)[1]

        def describe(id: str, expected: str) -> None:
            rows = words[negative] if id == "head-negative" else words[~negative]
            self._collector.add(
                id,
                rows,
                lambda w: Incident(id, *self._at(w), f"“{visible(self._heads.text_at(w))}”", expected),
            )

        describe("head-negative", "0 or the ID of a word")
        describe("head-malformed", "a plain decimal number")

    def _describe_outside(self, head: Ints) -> Callable[[int], Incident]:
        def describe(word: int) -> Incident:
            size = int(self._size[word])
            hint = f"HEAD {head[word]} but the sentence has {size} word{'s' if size != 1 else ''}."
            return Incident("head-outside", *self._at(word), str(head[word]), f"at most {size}", hint)

        return describe

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
        for _ in range(int(self._size.max(initial=1)).bit_length() + 1):
            further = reached[reached]
            if np.array_equal(further, reached):
                break
            reached = further
        stuck = (parent[reached] != ROOT) & ~broken[self._sentence]
        if not stuck.any():
            return
        # A word that never reaches a root ends, after enough steps, on the cycle itself.
        on_cycle = np.unique(reached[stuck])
        cycles = self._cycles(parent, on_cycle)
        self._collector.add("cycle", range(len(cycles)), lambda n: self._describe_cycle(cycles[n]))

    def _cycles(self, parent: Ints, on_cycle: Ints) -> list[list[int]]:
        heads = parent.data
        seen: set[int] = set()
        cycles = []
        for word in on_cycle.tolist():
            cycle = []
            while word not in seen:
                seen.add(word)
                cycle.append(word)
                word = heads[word]
            if cycle:
                cycles.append(cycle)
        return cycles

    def _describe_cycle(self, cycle: list[int]) -> Incident:
        lowest = cycle.index(min(cycle))
        ordered = cycle[lowest:] + cycle[:lowest]
        ids = [str(w - int(self._first[w]) + 1) for w in ordered[:_SHOWN_CYCLE]]
        end = ["…"] if len(ordered) > _SHOWN_CYCLE else [ids[0]]
        return Incident("cycle", *self._at(ordered[0]), " → ".join(ids + end), "heads that lead to the root")
