"""Align gold words with system words: by spans where tokens are words, by `regions` around ranges.

In: two treebanks with the same characters. Out: an `Alignment`, the pairs of words in order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..reading.difference_hint import difference_hint
from ..reading.fields import Ints, indices
from ..reading.incidents import Incident, InvalidFile, Report, visible
from ..reading.treebank import ZS_SPACES, Surface, Treebank
from .regions import Side, align_words

_EXCERPT = 20


@dataclass(frozen=True, slots=True)
class Alignment:
    """Pairs of words, in order, one to one; and the pairs of tokens whose spans are equal."""

    gold: Ints
    system: Ints
    gold_tokens: Ints
    system_tokens: Ints
    gold_surface: Surface
    system_surface: Surface


def align(gold: Treebank, system: Treebank, *, spaces: tuple[bytes, ...] = ZS_SPACES) -> Alignment:
    """Align the words of two files. Raises InvalidFile (about the system file) if their characters differ.

    >>> from ..reading.read import read
    >>> line = "{}\\t{}\\t_\\t_\\t_\\t_\\t{}\\tdep\\t_\\t_\\n"
    >>> two = line.format(1, "ab", 0) + line.format(2, "c", 1) + "\\n"
    >>> three = line.format(1, "a", 0) + line.format(2, "b", 1) + line.format(3, "c", 1) + "\\n"
    >>> alignment = align(read(two.encode()), read(three.encode()))
    >>> alignment.gold.tolist(), alignment.system.tolist()
    ([1], [2])
    """
    gold_surface, system_surface = gold.surface(spaces), system.surface(spaces, like=gold)
    if not gold_surface.equals(system_surface):
        raise InvalidFile(_difference(gold_surface, system, system_surface))

    begins_at = np.full(gold_surface.size + 1, -1, dtype=np.int32)
    begins_at[system_surface.start[:-1]] = np.arange(system.tokens)
    candidate = begins_at[gold_surface.start[:-1]]
    matched = (candidate >= 0) & (system_surface.start[candidate + 1] == gold_surface.start[1:])
    gold_tokens = indices(matched)
    system_tokens = candidate[gold_tokens].astype(np.int64)

    gold_words, system_words = gold_tokens, system_tokens
    if gold.in_range.any() or system.in_range.any():
        gold_side = Side(gold, gold_surface, gold_tokens)
        system_side = Side(system, system_surface, system_tokens)
        gold_words, system_words = align_words(gold_side, system_side, spaces)
    return Alignment(gold_words, system_words, gold_tokens, system_tokens, gold_surface, system_surface)


def _difference(gold: Surface, system: Treebank, surface: Surface) -> Report:
    """The first difference between the characters of the two files, as a report about the system file."""
    shorter = min(gold.size, surface.size)
    differing = indices(gold.data[:shorter] != surface.data[:shorter])
    byte = int(differing[0]) if len(differing) else shorter
    # Step back to the first byte of the character.
    while byte and byte < gold.size and (gold.data[byte] & 0xC0) == 0x80:
        byte -= 1
    token = min(int(np.searchsorted(surface.start, byte, side="right")) - 1, system.tokens - 1)
    row = int(system.token_rows[token])
    position = len(gold.data[:byte].tobytes().decode("utf-8", "replace"))
    system_text, gold_text = (_text_at(side, byte) for side in (surface, gold))
    hint = difference_hint(system_text, gold_text, 0) if system_text and gold_text else ""
    incident = Incident(
        "characters-differ",
        int(system.layout.line[row]) + 1,
        int(system.layout.sentence[row]) + 1,
        _excerpt(system_text),
        _excerpt(gold_text),
        f"The files diverge at character {position + 1:,}, not counting spaces. {hint}".rstrip(),
    )
    return Report(system.name, (incident,), {"characters-differ": 1})


def _text_at(surface: Surface, byte: int) -> str:
    text = surface.data[byte : min(byte + 4 * _EXCERPT, surface.size)].tobytes().decode("utf-8", "replace")
    return text[:_EXCERPT]


def _excerpt(text: str) -> str:
    return f"“{visible(text)}”" if text else "the end of the file"
