"""Hostile files: valid ones corrupted by a seeded generator, and random bytes."""

from __future__ import annotations

import random
from collections.abc import Callable

# What a fuzzer would have to find by itself: bytes and fields that mean something to a reader of CoNLL-U.
TOKENS = (
    *(
        b"\n",
        b"\n\n",
        b"\r",
        b"\r\n",
        b"\t",
        b"\t\t",
        b"#",
        b"# newdoc\n",
        b"\x00",
        b" ",
        b"-",
        b".",
        b"_",
        b":",
    ),
    *(
        b"0",
        b"1",
        b"01",
        b"1-2",
        b"1-1",
        b"2-1",
        b"1.1",
        b"0.1",
        b"-1",
        b"99999999",
        b"123456789012",
        b"1-999",
    ),
    *("İ".encode(), "Σ".encode(), "ß".encode(), "\u00a0".encode(), "\u3000".encode(), "\u2028".encode()),
    *("𝒳".encode(), "\u0301".encode(), "١".encode(), "\ufeff".encode(), b"\xff", b"\xc3", b"\xed\xa0\x80"),
    *(
        b"1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n",
        b"2-3\tab\t_\t_\t_\t_\t_\t_\t_\t_\n",
        b"\x1f\x8b",
        b"BZh",
        b"\xfd7zXZ\x00",
    ),
)


def mutated(good: bytes, chance: random.Random) -> bytes:
    """A few mutations of a good file; now and then none of it is left."""
    if chance.random() < 0.02:
        return chance.randbytes(chance.randrange(200))
    if chance.random() < 0.05:
        return b"".join(chance.choices(TOKENS, k=chance.randrange(1, 40)))
    spoiled = good
    for _ in range(chance.choice((1, 1, 1, 2, 3, 8))):
        spoiled = chance.choice(_MUTATIONS)(spoiled, chance)
    return spoiled


def _flip(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data or b"\n")
    changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def _insert(data: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(data) + 1)
    return data[:place] + chance.choice(TOKENS) + data[place:]


def _cut(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data) + 1)]


def _splice(data: bytes, chance: random.Random) -> bytes:
    begin, end = sorted(chance.randrange(len(data) + 1) for _ in range(2))
    place = chance.randrange(len(data) + 1)
    return data[:place] + data[begin : min(end, begin + 400)] + data[place:]


def _lines(change: Callable[[list[bytes], random.Random], None]) -> Callable[[bytes, random.Random], bytes]:
    def mutate(data: bytes, chance: random.Random) -> bytes:
        lines = data.split(b"\n")
        change(lines, chance)
        return b"\n".join(lines)

    return mutate


def _drop_line(lines: list[bytes], chance: random.Random) -> None:
    del lines[chance.randrange(len(lines))]


def _swap_lines(lines: list[bytes], chance: random.Random) -> None:
    left, right = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[left], lines[right] = lines[right], lines[left]


def _change_field(lines: list[bytes], chance: random.Random) -> None:
    place = chance.randrange(len(lines))
    columns = lines[place].split(b"\t")
    columns[chance.randrange(len(columns))] = chance.choice(TOKENS).strip(b"\r\n\t")
    lines[place] = b"\t".join(columns)


_MUTATIONS = (
    *(_flip, _insert, _cut, _splice),
    *(_lines(_drop_line), _lines(_swap_lines), _lines(_change_field), _lines(_change_field)),
)
