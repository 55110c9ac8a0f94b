"""Arc-eager transitions for a whole beam at once: states are rows of arrays, not objects.

A state has a stack and a buffer of words. SHIFT puts the first word of the buffer on the stack. LEFT makes it
the head of the word on top of the stack, which leaves the stack. RIGHT makes it a child of the word on top
and puts it there. REDUCE takes a word that has a head from the stack. The word that is left at the end is the
root. A sentence of n words needs 2n − 1 transitions, whatever its tree, so states can be compared after each
of them.

The rules below forbid what leads to several roots, and what breaks a constraint as far as one can see at
once. A state that no transition can follow is dropped. If the beam becomes empty, no tree has been found.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .conllu import ROOT, UNKNOWN

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

SHIFT, LEFT, RIGHT, REDUCE = range(4)
TRANSITIONS = 4


STACK, HEADS, LEFTMOST, RIGHTMOST = range(4)
SIZE, FRONT, OPEN = range(3)


class Beam:
    """States: `tables[state, table]` has a column per word, from 1; the value 0 stands for none.

    `numbers[state]` has the size of the stack, the first word of the buffer (`words + 1` when it is empty)
    and the number of words on the stack that have no head.
    """

    def __init__(self, words: int, tables: Ints, numbers: Ints) -> None:
        self.words, self.tables, self.numbers = words, tables, numbers
        self.rows = np.arange(len(numbers))
        self.stack, self.heads = tables[:, STACK], tables[:, HEADS]
        self.size, self.front, self.open = numbers[:, SIZE], numbers[:, FRONT], numbers[:, OPEN]
        self.top = self.stack[self.rows, self.size]

    @classmethod
    def start(cls, words: int) -> Beam:
        return cls(words, np.zeros((1, 4, words + 2), dtype=np.int64), np.array([[0, 1, 0]]))

    def allowed(self, constraints: Constraints | None = None) -> Mask:
        """`mask[state, transition]`: what may follow."""
        has_top, has_word = self.size > 0, self.front <= self.words
        has_head = self.heads[self.rows, self.top] > 0
        is_last = self.front == self.words
        mask = np.empty((len(self.rows), TRANSITIONS), dtype=bool)
        # Without a head, the last word has to be the root, alone on the stack.
        mask[:, SHIFT] = has_word & ~(is_last & has_top)
        mask[:, LEFT] = has_word & has_top & ~has_head
        # With the last word everything on the stack but the root must have a head.
        mask[:, RIGHT] = has_word & has_top & ~(is_last & (self.open > 1))
        mask[:, REDUCE] = has_head
        if constraints is not None:
            constraints.restrict(self, mask)
        return mask

    def follow(self, states: Ints, transitions: Ints) -> Beam:
        """The states that result from these transitions in these states."""
        tables, numbers = self.tables[states], self.numbers[states]
        top, front = self.top[states], self.front[states]
        rows = np.arange(len(states))
        is_left, is_right, is_shift = transitions == LEFT, transitions == RIGHT, transitions == SHIFT
        left, right = rows[is_left], rows[is_right]
        tables[left, HEADS, top[left]] = front[left]
        tables[right, HEADS, front[right]] = top[right]
        # LEFT finds the children of a word from right to left, RIGHT from left to right.
        tables[left, LEFTMOST, front[left]] = top[left]
        tables[right, RIGHTMOST, top[right]] = front[right]
        pushes = is_shift | is_right
        numbers[:, SIZE] += 2 * pushes - 1
        pushed = rows[pushes]
        tables[pushed, STACK, numbers[pushed, SIZE]] = front[pushed]
        numbers[:, FRONT] += pushes
        numbers[:, OPEN] += is_shift.astype(np.int64) - is_left
        return Beam(self.words, tables, numbers)


class Constraints:
    """The heads that some words must have."""

    def __init__(self, heads: Sequence[int]) -> None:
        words = len(heads)
        # Per word, with places for none and for the end: the head it must have.
        self._head = np.array([UNKNOWN, *heads, UNKNOWN], dtype=np.int64)
        constrained = self._head > ROOT
        # Per word, the last word that must be its child: until then it has to stay on the stack.
        self._last_child = np.zeros(words + 2, dtype=np.int64)
        for child in range(1, words + 1):
            if constrained[child]:
                self._last_child[self._head[child]] = child
        # A head that is not to the right must be on the stack; the word itself never is.
        self._has_left_head = constrained & (self._head <= np.arange(words + 2))

    def restrict(self, beam: Beam, mask: Mask) -> None:
        """Forbid transitions that break a constraint, at once or because what it needs is gone."""
        top, front = beam.top, beam.front
        head_of_top, head_of_front = self._head[top], self._head[front]
        is_root = head_of_front == ROOT
        # A word leaves the stack only after its last child, which is still in the buffer.
        stays = self._last_child[top] >= front
        # Children of the first word that are on the stack must be attached before it gets there, too.
        on_stack = np.arange(beam.stack.shape[1]) <= beam.size[:, np.newaxis]
        waiting = (on_stack & (self._head[beam.stack] == front[:, np.newaxis])).any(axis=1)
        mask[:, SHIFT] &= ~self._has_left_head[front] & ~waiting & ~(is_root & (beam.size > 0))
        mask[:, LEFT] &= ((head_of_top == UNKNOWN) | (head_of_top == front)) & ~stays
        mask[:, RIGHT] &= ((head_of_front == UNKNOWN) | (head_of_front == top)) & ~waiting
        mask[:, REDUCE] &= ~stays


def oracle(heads: Sequence[int]) -> list[int]:
    """The transitions that build a projective tree."""
    words, stack, front = len(heads), [0], 1
    attached: set[int] = set()
    transitions = []
    while front <= words or len(stack) > 2:
        top = stack[-1]
        linked = front <= words and any(
            heads[front - 1] == word or (word and heads[word - 1] == front) for word in stack[1:-1]
        )
        if front <= words and top and heads[top - 1] == front:
            transition = LEFT
        elif front <= words and top and heads[front - 1] == top:
            transition = RIGHT
        elif top in attached and (linked or front > words):
            transition = REDUCE
        else:
            transition = SHIFT
        if transition in (LEFT, REDUCE):
            stack.pop()
        else:
            if transition == RIGHT:
                attached.add(front)
            stack.append(front)
            front += 1
        transitions.append(transition)
    return transitions
