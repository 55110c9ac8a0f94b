"""Every tree of a short sentence, enumerated: what the decoders are compared with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product


def is_tree(heads: Sequence[int]) -> bool:
    """One root, and every word leads to it."""
    if sum(head == 0 for head in heads) != 1:
        return False
    for word in range(1, len(heads) + 1):
        for _ in heads:
            word = heads[word - 1] if word else 0
        if word:
            return False
    return True


def is_projective(heads: Sequence[int]) -> bool:
    """No two arcs cross, the one from the root included."""
    arcs = [(min(word, head), max(word, head)) for word, head in enumerate(heads, 1)]
    return not any(a < c < b < d for a, b in arcs for c, d in arcs)


@cache
def projective_trees(size: int) -> tuple[tuple[int, ...], ...]:
    every = product(range(size + 1), repeat=size)
    return tuple(heads for heads in every if is_tree(heads) and is_projective(heads))


def trees(size: int) -> Iterator[tuple[int, ...]]:
    return (heads for heads in product(range(size + 1), repeat=size) if is_tree(heads))


def keeps(heads: Sequence[int], constraints: Sequence[int]) -> bool:
    return all(own in (-1, head) for head, own in zip(heads, constraints, strict=True))
