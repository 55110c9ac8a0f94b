"""Longest common subsequence with the tie-break that scores depend on, in bounded memory.

The walk from the beginning takes a match when the items are equal, otherwise skips the gold item if that
does not shorten the result, otherwise the system item. A small region uses a plain table. A large one keeps
each row of the table as the bits of one integer, stores every √n-th row and recomputes the others when the
walk reaches them, so that memory grows with n·√n bits and time with n²/64 processor steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt

_SMALL = 4096
_OFTEN = 64


def longest_common_subsequence(gold: Sequence[int], system: Sequence[int]) -> list[tuple[int, int]]:
    """The pairs of positions of the subsequence that the walk takes."""
    begin = 0
    for left, right in zip(gold, system, strict=False):
        if left != right:
            break
        begin += 1
    pairs = [(place, place) for place in range(begin)]
    gold, system = gold[begin:], system[begin:]
    if len(gold) == 1 or len(system) == 1:
        # A single item matches the first item that equals it.
        single, others = (gold, system) if len(gold) == 1 else (system, gold)
        if single[0] in others:
            place = begin + others.index(single[0])
            pairs.append((begin, place) if len(gold) == 1 else (place, begin))
        return pairs
    if set(gold).isdisjoint(system):
        return pairs
    walk = _by_table if len(gold) * len(system) <= _SMALL else _by_bits
    pairs.extend((begin + g, begin + s) for g, s in walk(gold, system))
    return pairs


def _by_table(gold: Sequence[int], system: Sequence[int]) -> list[tuple[int, int]]:
    width = len(system)
    table = [[0] * (width + 1) for _ in range(len(gold) + 1)]
    for g in range(len(gold) - 1, -1, -1):
        row, below, item = table[g], table[g + 1], gold[g]
        for s in range(width - 1, -1, -1):
            row[s] = below[s + 1] + 1 if item == system[s] else max(below[s], row[s + 1])
    pairs = []
    g = s = 0
    while g < len(gold) and s < width:
        if gold[g] == system[s]:
            pairs.append((g, s))
            g += 1
            s += 1
        elif table[g][s] == table[g + 1][s]:
            g += 1
        else:
            s += 1
    return pairs


class _Rows:
    """Rows of the table of suffixes as integers, from the last gold item up.

    Position j of the system is bit width − 1 − j, so that the recurrence can carry towards the left end.
    """

    def __init__(self, gold: Sequence[int], system: Sequence[int]) -> None:
        self._gold = gold
        self._width = len(system)
        self._full = (1 << self._width) - 1
        self._places: dict[int, list[int]] = {}
        for s, item in enumerate(system):
            self._places.setdefault(item, []).append(self._width - 1 - s)
        self._frequent = {
            item: self._mask(places) for item, places in self._places.items() if len(places) > _OFTEN
        }
        self._step = isqrt(len(gold)) + 1
        self._stored = {len(gold): self._full}
        row = self._full
        for g in range(len(gold) - 1, -1, -1):
            row = self._above(row, gold[g])
            if g % self._step == 0:
                self._stored[g] = row
        self._block: dict[int, int] = {}

    @staticmethod
    def _mask(places: list[int]) -> int:
        mask = 0
        for place in places:
            mask |= 1 << place
        return mask

    def _above(self, row: int, item: int) -> int:
        """The row of one more gold item; a zero bit marks a step of the length."""
        places = self._places.get(item)
        if places is None:
            return row
        mask = self._frequent.get(item)
        matches = row & (self._mask(places) if mask is None else mask)
        return ((row + matches) | (row - matches)) & self._full

    def length_at(self, g: int, s: int) -> int:
        """The length of the longest common subsequence of what is left from gold item g and system item s."""
        rest = self._width - s
        if rest <= 0:
            return 0
        return rest - (self._row(g) & ((1 << rest) - 1)).bit_count()

    def _row(self, g: int) -> int:
        if g in self._stored:
            return self._stored[g]
        if g not in self._block:
            end = min((g // self._step + 1) * self._step, len(self._gold))
            row = self._stored[end]
            self._block = {}
            for place in range(end - 1, g - 1, -1):
                row = self._above(row, self._gold[place])
                self._block[place] = row
        return self._block[g]


def _by_bits(gold: Sequence[int], system: Sequence[int]) -> list[tuple[int, int]]:
    rows = _Rows(gold, system)
    in_system = set(system)
    pairs = []
    g = s = 0
    # The length from (g, s) on is updated incrementally: it changes only at matches.
    left = rows.length_at(0, 0)
    while g < len(gold) and s < len(system) and left:
        if gold[g] == system[s]:
            pairs.append((g, s))
            g, s, left = g + 1, s + 1, left - 1
        elif gold[g] not in in_system or rows.length_at(g + 1, s) == left:
            g += 1
        else:
            s += 1
    return pairs
