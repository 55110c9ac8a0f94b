"""Trees, and those without crossing arcs: the only ones that the decoders can build."""

from __future__ import annotations

from collections.abc import Sequence

from .conllu import ROOT


def is_tree(heads: Sequence[int]) -> bool:
    """Whether there is one root, to which every word leads."""
    if heads.count(ROOT) != 1 or not all(ROOT <= head <= len(heads) for head in heads):
        return False
    reached = {ROOT}
    for word in range(1, len(heads) + 1):
        path: list[int] = []
        while word not in reached:
            if word in path:
                return False
            path.append(word)
            word = heads[word - 1]
        reached.update(path)
    return True


def crossed(heads: Sequence[int]) -> int | None:
    """The word (from 1) with the shortest arc that spans a word its head does not dominate, if any."""
    arcs = []
    for child, head in enumerate(heads, 1):
        between = range(min(child, head) + 1, max(child, head))
        if not all(_dominates(head, word, heads) for word in between):
            arcs.append((abs(child - head), child))
    return min(arcs)[1] if arcs else None


def _dominates(head: int, word: int, heads: Sequence[int]) -> bool:
    while word not in (head, ROOT):
        word = heads[word - 1]
    return word == head


def make_projective(heads: Sequence[int]) -> list[int]:
    """Attach words with crossed arcs to the heads of their heads until no arcs cross."""
    lifted = list(heads)
    while (word := crossed(lifted)) is not None:
        lifted[word - 1] = lifted[lifted[word - 1] - 1]
    return lifted
