"""Control items: a tree against the same tree with a few words attached elsewhere.

An annotator who pays attention prefers the tree of the system to its damaged copy nearly always.
"""

from __future__ import annotations

import random
import unicodedata

_ID, _FORM, _HEAD = 0, 1, 6
MIN_WORDS = 4


def damage(source: str, *, seed: int, key: str, arcs: int = 3) -> str | None:
    """The lines of a sentence with this many heads changed at random; None if it is too short.

    It stays a tree: no word is attached to itself or to a word below it, and the root stays. Punctuation is
    moved only where there are too few other words: where it is attached hardly anybody cares.
    """
    lines = [line.split("\t") for line in source.rstrip("\n").split("\n")]
    words = [cells for cells in lines if cells[_ID].isdigit()]
    heads = {int(cells[_ID]): int(cells[_HEAD]) for cells in words}
    if len(words) < MIN_WORDS:
        return None
    generator = random.Random(f"{seed} {key}")
    attached = sorted(word for word, head in heads.items() if head != 0)
    generator.shuffle(attached)
    form_of = {int(cells[_ID]): cells[_FORM] for cells in words}
    attached.sort(key=lambda word: _is_punctuation(form_of[word]))
    changed = 0
    for word in attached:
        below = _below(heads, word)
        places = [other for other in heads if other not in below and other != heads[word]]
        if places and changed < arcs:
            heads[word] = generator.choice(places)
            changed += 1
    if not changed:
        return None
    for cells in words:
        cells[_HEAD] = str(heads[int(cells[_ID])])
    return "\n".join("\t".join(cells) for cells in lines) + "\n\n"


def _is_punctuation(form: str) -> bool:
    return all(unicodedata.category(character).startswith("P") for character in form)


def _below(heads: dict[int, int], word: int) -> set[int]:
    """The word and everything below it."""
    children: dict[int, list[int]] = {}
    for child, head in heads.items():
        children.setdefault(head, []).append(child)
    below, waiting = set(), [word]
    while waiting:
        current = waiting.pop()
        below.add(current)
        waiting.extend(children.get(current, ()))
    return below
