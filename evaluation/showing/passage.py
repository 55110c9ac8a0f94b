"""A gold sentence and the system's analysis of it: the trees of diffs, reports and pages.

In: a `Comparison` and the number of a gold sentence. Out: a `Passage`, two trees and the rows that align
their words. The system's tree contains every word whose token shares a character with the gold sentence, and
a few words of the rest of the system's sentences: a system that never ends a sentence must not make every
passage as long as its file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..scoring.compare import Comparison
from .words import Judgement, Tree, tree_between

_CONTEXT_WORDS = 12

# Places in the gold tree and in the system tree.
PairedPlaces = tuple[int | None, int | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A gold sentence and the system's words for it. `rows` lists all words in order, partners in one row."""

    # From 0, as everywhere in the package; people see numbers from 1.
    sentence: int
    sentence_id: str
    text: str
    gold_line: int
    system_line: int
    gold: Tree
    system: Tree
    rows: tuple[PairedPlaces, ...]
    # The number of system sentences with words inside the gold sentence.
    system_sentences: int

    @property
    def has_same_sentence(self) -> bool:
        return self.system_sentences == 1 and all(word.judgement.is_inside for word in self.system.words)


class Passages:
    """The passages of one comparison. Partners are compared in `keys`, by default those of the profile."""

    def __init__(self, comparison: Comparison, keys: Sequence[str] = ()) -> None:
        self._comparison = comparison
        self._agreements = {key: comparison.agrees(key) for key in keys or comparison.profile.displayed}

    def passage_of(self, sentence: int) -> Passage:
        gold, system = self._comparison.gold, self._comparison.system
        alignment = self._comparison.alignment
        first, last = gold.sentence_first_word[sentence : sentence + 2].tolist()
        inside_first, inside_last = self._overlapping(sentence)
        begin, end = self._window(inside_first, inside_last)

        pairs = range(*np.searchsorted(alignment.gold, [first, last]).tolist())
        pair_of_gold = {int(alignment.gold[pair]): pair for pair in pairs}
        pair_of_system = {int(alignment.system[pair]): pair for pair in pairs}
        beyond = self._aligned_elsewhere(begin, end, pairs)
        gold_judged = self._judge(range(first, last), pair_of_gold)
        system_judged = self._judge(
            range(begin, end),
            pair_of_system,
            beyond.union(range(begin, inside_first), range(inside_last, end)),
        )
        comments = gold.sentence_source(sentence)
        return Passage(
            sentence=sentence,
            sentence_id=comment(comments, "sent_id"),
            text=comment(comments, "text"),
            gold_line=gold.line(first),
            system_line=system.line(inside_first),
            gold=tree_between(gold, first, last, list(gold_judged)),
            system=tree_between(system, begin, end, list(system_judged)),
            rows=_rows(
                alignment.gold_surface.start[gold.token[first:last]].tolist(),
                alignment.system_surface.start[system.token[begin:end]].tolist(),
                [(int(alignment.gold[p]) - first, int(alignment.system[p]) - begin) for p in pairs],
            ),
            system_sentences=int(system.sentence[inside_last - 1] - system.sentence[inside_first]) + 1,
        )

    def _judge(
        self, words: Iterable[int], pair_of: dict[int, int], beyond: set[int] | frozenset[int] = frozenset()
    ) -> Iterator[Judgement]:
        for word in words:
            pair = pair_of.get(word)
            if pair is not None:
                yield Judgement(
                    wrong=frozenset(key for key, agrees in self._agreements.items() if not agrees[pair])
                )
            else:
                yield Judgement(is_aligned=word in beyond, is_inside=word not in beyond)

    def _aligned_elsewhere(self, begin: int, end: int, pairs: range) -> set[int]:
        """The system words of the window whose partners are in other gold sentences."""
        system = self._comparison.alignment.system
        around = range(*np.searchsorted(system, [begin, end]).tolist())
        return {int(system[pair]) for pair in around if pair not in pairs}

    def _overlapping(self, sentence: int) -> tuple[int, int]:
        """The system words whose tokens share a character with a gold sentence."""
        gold, system, alignment = self._comparison.gold, self._comparison.system, self._comparison.alignment
        tokens = gold.sentence_first_token[sentence : sentence + 2]
        begin, end = alignment.gold_surface.start[tokens].tolist()
        starts = alignment.system_surface.start
        first = int(np.searchsorted(starts, begin, side="right")) - 1
        past = int(np.searchsorted(starts[:-1], end, side="left"))
        return int(system.token_first[first]), int(system.token_first[past])

    def _window(self, first: int, last: int) -> tuple[int, int]:
        """These words with the nearby rest of their sentences, in complete tokens."""
        system = self._comparison.system
        begin = max(int(system.sentence_first_word[system.sentence[first]]), first - _CONTEXT_WORDS)
        end = min(int(system.sentence_first_word[system.sentence[last - 1] + 1]), last + _CONTEXT_WORDS)
        tokens = system.token[[begin, end - 1]]
        return int(system.token_first[tokens[0]]), int(system.token_first[tokens[1] + 1])


def _rows(
    gold_start: Sequence[int], system_start: Sequence[int], pairs: Sequence[tuple[int, int]]
) -> tuple[PairedPlaces, ...]:
    """All positions of both sides in order. A gold word whose partner is outside the window is alone."""
    rows: list[PairedPlaces] = []
    next_gold = next_system = 0
    inside = [(g, s) for g, s in pairs if 0 <= s < len(system_start)]
    for g, s in [*inside, (len(gold_start), len(system_start))]:
        unaligned = [(gold_start[place], 0, place) for place in range(next_gold, g)]
        unaligned += [(system_start[place], 1, place) for place in range(next_system, s)]
        rows.extend((place, None) if side == 0 else (None, place) for _, side, place in sorted(unaligned))
        rows.append((g, s))
        next_gold, next_system = g + 1, s + 1
    return tuple(rows[:-1])


def comment(source: str, name: str) -> str:
    """The value of the first comment `# name = value`, empty if there is none."""
    for line in source.split("\n"):
        if line.startswith("#"):
            key, _, value = line[1:].partition("=")
            if key.strip() == name:
                return value.strip()
    return ""
