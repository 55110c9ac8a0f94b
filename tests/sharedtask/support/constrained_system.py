"""A tiny system for tests: each word depends on its neighbour, unless constraints say otherwise."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

HEAD, DEPREL = 6, 7


def parse_all(
    inputs: Mapping[str, bytes], *, ignores: bool = False, careless: bool = False, step: int = -1
) -> dict[str, bytes]:
    """What it writes for its inputs. It may ignore constraints, or carelessly change with an empty file.

    `step`: the neighbour is the word before (-1) or after (1).
    """
    outputs = {}
    for entry in json.loads(inputs["metadata.json"]):
        words = inputs[entry["psegmorfile"]].decode()
        given = words if ignores else inputs.get(entry.get("constraintsfile", ""), b"").decode() or words
        sentences = [parse(block, step) for block in given.strip("\n").split("\n\n")]
        comment = "# careless\n" if careless and "constraintsfile" in entry else ""
        outputs[entry["outfile"]] = (comment + "".join(sentences)).encode()
    return outputs


def parse(block: str, step: int) -> str:
    lines = [line.split("\t") for line in block.split("\n")]
    words = [columns for columns in lines if columns[0].isdigit()]
    given = [None if columns[HEAD] == "_" else int(columns[HEAD]) for columns in words]
    for columns, head in zip(words, choose_heads(given, step), strict=True):
        if columns[HEAD] == "_":
            columns[HEAD], columns[DEPREL] = str(head), "dep" if head else "root"
    return "\n".join("\t".join(columns) for columns in lines) + "\n\n"


def choose_heads(given: Sequence[int | None], step: int) -> list[int]:
    """A tree that keeps the given heads, in which the others are the neighbours wherever that is possible."""
    heads = dict(enumerate(given, start=1))
    order = list(heads) if step < 0 else list(reversed(heads))
    if 0 not in given:
        heads[next(word for word in order if heads[word] is None)] = 0
    root = next(word for word, head in heads.items() if head == 0)
    for word in order:
        if heads[word] is None:
            neighbour = word + step
            is_possible = neighbour in heads and word not in path(heads, neighbour)
            heads[word] = neighbour if is_possible else root
    return [head for head in heads.values() if head is not None]


def path(heads: Mapping[int, int | None], word: int) -> list[int]:
    """The words from this one upwards, as far as their heads are known."""
    seen = []
    current: int | None = word
    while current:
        seen.append(current)
        current = heads[current]
    return seen
