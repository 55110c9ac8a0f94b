"""Which gold word is which system word: spans where tokens are words, common subsequences around ranges.

In: two treebanks with the same characters. Out: an `Alignment`, the pairs of words in order.

The definition is a walk over both files, word by word (`_Walk`): where neither of the two current words is in
a range they align if their spans are equal, else the one that starts earlier is passed (on a tie the gold
one); otherwise a region is grown around the ranges and its words align by a longest common subsequence of
their lower-cased forms. The state of the walk is nothing but its two positions. So wherever both stand at the first
words of two tokens with equal spans, what comes next does not depend on what came before, and all such pairs
of tokens are handled at once; the walk itself is only taken through the stretches where it matters: unmatched
tokens with a range among or directly behind them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evaluation.fields import PADDING, Fields, Ints, Mask, equal, gather, intern, padded
from evaluation.incidents import Incident, InvalidFile, Report, visible
from evaluation.layout import FORM
from evaluation.subsequence import common
from evaluation.treebank import ZS_SPACES, Surface, Treebank, without

_SHOWN = 20


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
    """Align the words of two files. InvalidFile (about the system file) where their characters differ."""
    gold_surface, system_surface = gold.surface(spaces), system.surface(spaces)
    if not np.array_equal(gold_surface.data, system_surface.data):
        raise InvalidFile(_difference(gold_surface, system, system_surface))

    begins_at = np.full(gold_surface.size + 1, -1, dtype=np.int64)
    begins_at[system_surface.start[:-1]] = np.arange(system.tokens)
    candidate = begins_at[gold_surface.start[:-1]]
    matched = (candidate >= 0) & (system_surface.start[candidate + 1] == gold_surface.start[1:])
    gold_tokens = np.flatnonzero(matched)
    system_tokens = candidate[gold_tokens]

    if gold.in_range.any() or system.in_range.any():
        with_ranges = _Ranges(gold, system, gold_surface, system_surface, gold_tokens, system_tokens, spaces)
        gold_words, system_words = with_ranges.align()
    else:
        gold_words, system_words = gold_tokens, system_tokens
    return Alignment(gold_words, system_words, gold_tokens, system_tokens, gold_surface, system_surface)


@dataclass(frozen=True, slots=True)
class _Ranges:
    """Alignment of two files of which at least one has ranges."""

    gold: Treebank
    system: Treebank
    gold_surface: Surface
    system_surface: Surface
    gold_tokens: Ints
    system_tokens: Ints
    spaces: tuple[bytes, ...]

    def align(self) -> tuple[Ints, Ints]:
        gold, system = self.gold, self.system
        gold_tokens, system_tokens = self.gold_tokens, self.system_tokens
        gold_range = gold.multi_token[gold_tokens]
        system_range = system.multi_token[system_tokens]
        plain = ~gold_range & ~system_range

        walked, regions = self._walk_where_needed(plain)
        plain_pairs = plain & ~walked
        pairs = [(gold.token_first[gold_tokens[plain_pairs]], system.token_first[system_tokens[plain_pairs]])]
        pairs.extend((np.array([g]), np.array([s])) for g, s in regions.pairs)

        clean = np.flatnonzero(~plain & ~walked)
        bounds = np.stack(
            [
                gold.token_first[gold_tokens[clean]],
                gold.token_first[gold_tokens[clean] + 1],
                system.token_first[system_tokens[clean]],
                system.token_first[system_tokens[clean] + 1],
            ],
            axis=1,
        )
        both = gold_range[clean] & system_range[clean]
        identical = self._identical(bounds, both)
        pairs.append(_diagonals(bounds[identical]))
        regions.bounds.extend(map(tuple, bounds[~identical].tolist()))
        pairs.append(self._subsequences(regions.bounds))
        gold_words = np.concatenate([g for g, _ in pairs])
        system_words = np.concatenate([s for _, s in pairs])
        order = np.argsort(gold_words, kind="stable")
        return gold_words[order], system_words[order]

    def _identical(self, bounds: Ints, both_ranges: Mask) -> Mask:
        """Regions of two ranges with the same forms in the same order: the subsequence is all of them."""
        result: Mask = both_ranges & (bounds[:, 1] - bounds[:, 0] == bounds[:, 3] - bounds[:, 2])
        rows = np.flatnonzero(result)
        if not len(rows):
            return result
        gold_words, system_words = _diagonals(bounds[rows])
        same = equal(self.gold.column(FORM)[gold_words], self.system.column(FORM)[system_words])
        sizes = bounds[rows, 1] - bounds[rows, 0]
        region = np.repeat(rows, sizes)
        result[region[~same]] = False
        return result

    def _walk_where_needed(self, plain: Mask) -> tuple[Mask, _Walk]:
        """Take the walk through every stretch of unmatched tokens that touches a range."""
        gold, system = self.gold, self.system
        ends = np.append(self.gold_tokens, gold.tokens), np.append(self.system_tokens, system.tokens)
        begins = np.append(0, self.gold_tokens + 1), np.append(0, self.system_tokens + 1)
        ranges_before = [np.append(0, np.cumsum(side.multi_token)) for side in (gold, system)]
        has_range = sum(
            before[end] - before[begin]
            for before, begin, end in zip(ranges_before, begins, ends, strict=True)
        )
        touches = (has_range > 0) | np.append(~plain, False)
        stretches = np.flatnonzero(touches & (ends[0] > begins[0]))
        walk = _Walk(self)
        walked = np.zeros(len(plain), dtype=bool)
        next_pair = 0
        for stretch in stretches.tolist():
            if stretch < next_pair:
                continue
            reached = walk.through(
                int(gold.token_first[begins[0][stretch]]), int(system.token_first[begins[1][stretch]])
            )
            next_pair = int(np.searchsorted(self.gold_tokens, reached))
            walked[stretch:next_pair] = True
            # The stretch before the pair that was reached has been walked as well.
            next_pair += 1
        return walked, walk

    def _subsequences(self, regions: list[tuple[int, ...]]) -> tuple[Ints, Ints]:
        """Align every region by the forms of its words."""
        bounds = np.array(regions, dtype=np.int64).reshape(-1, 4)
        gold_words, gold_region = _spread(bounds[:, 0], bounds[:, 1])
        system_words, system_region = _spread(bounds[:, 2], bounds[:, 3])
        gold_forms, system_forms = self._lowered_forms(gold_words, system_words)
        gold_size, system_size = bounds[:, 1] - bounds[:, 0], bounds[:, 3] - bounds[:, 2]

        # One word against several aligns with the first that equals it: no table is needed.
        system_alone = _first_equal(
            gold_forms, gold_region, system_forms[_firsts(system_size)], system_size == 1
        )
        gold_alone = _first_equal(
            system_forms, system_region, gold_forms[_firsts(gold_size)], (gold_size == 1) & (system_size > 1)
        )
        pairs = [
            (gold_words[system_alone], bounds[gold_region[system_alone], 2]),
            (bounds[system_region[gold_alone], 0], system_words[gold_alone]),
        ]
        several = np.flatnonzero((gold_size > 1) & (system_size > 1))
        gold_list, system_list = gold_forms.tolist(), system_forms.tolist()
        gold_at, system_at = _firsts(gold_size), _firsts(system_size)
        chosen: list[tuple[int, int]] = []
        for region in several.tolist():
            g, s = gold_at[region], system_at[region]
            gold_part = gold_list[g : g + gold_size[region]]
            system_part = system_list[s : s + system_size[region]]
            chosen.extend((g + left, s + right) for left, right in common(gold_part, system_part))
        places = np.array(chosen, dtype=np.int64).reshape(-1, 2)
        pairs.append((gold_words[places[:, 0]], system_words[places[:, 1]]))
        return np.concatenate([g for g, _ in pairs]), np.concatenate([s for _, s in pairs])

    def _lowered_forms(self, gold_words: Ints, system_words: Ints) -> tuple[Ints, Ints]:
        """Integers that are equal exactly where the lower-cased forms are."""
        sides = ((self.gold, gold_words), (self.system, system_words))
        kept, spaceless = bytearray(), bytearray()
        for treebank, words in sides:
            in_range = treebank.in_range[words]
            # Inside a range a form keeps its spaces; outside it has lost them as its token has.
            kept += _tabbed_forms(treebank, words[in_range])
            spaceless += without(padded(_tabbed_forms(treebank, words[~in_range])), self.spaces)
        # A tab ends a word for every rule of lower-casing, so all forms are lowered in one go.
        lowered = padded((kept + spaceless).decode().lower().encode())
        ends = np.flatnonzero(lowered == ord("\t"))
        starts = np.append(0, ends[:-1] + 1)[: len(ends)]
        codes = intern(Fields(lowered, starts, ends - starts)).codes

        result = []
        in_ranges = [treebank.in_range[words] for treebank, words in sides]
        kept_before, spaceless_before = 0, sum(int(in_range.sum()) for in_range in in_ranges)
        for in_range in in_ranges:
            of_side = np.empty(len(in_range), dtype=np.int64)
            inside = int(in_range.sum())
            outside = len(in_range) - inside
            of_side[in_range] = codes[kept_before : kept_before + inside]
            of_side[~in_range] = codes[spaceless_before : spaceless_before + outside]
            kept_before += inside
            spaceless_before += outside
            result.append(of_side)
        return result[0], result[1]


class _Walk:
    """The definition, step by step. Collects the pairs aligned by spans and the bounds of the regions."""

    def __init__(self, files: _Ranges) -> None:
        gold, system = files.gold, files.system
        self.pairs: list[tuple[int, int]] = []
        self.bounds: list[tuple[int, ...]] = []
        self._gold = _Side(gold, files.gold_surface)
        self._system = _Side(system, files.system_surface)
        match = np.full(gold.tokens + 1, -1, dtype=np.int64)
        match[files.gold_tokens] = files.system_tokens
        self._match = match.data

    def through(self, g: int, s: int) -> int:
        """Walk until both sides stand at the first words of matched tokens; the gold token reached."""
        gold, system = self._gold, self._system
        while g < gold.words and s < system.words:
            if gold.is_first(g) and system.is_first(s) and self._match[gold.token[g]] == system.token[s]:
                return gold.token[g]
            if gold.in_range[g] or system.in_range[s]:
                g, s = self._region(g, s)
            elif gold.start(g) <= system.start(s):
                # Equal spans would have been matched tokens, so one of the two words is passed.
                g += 1
            else:
                s += 1
        return gold.tokens

    def _region(self, g: int, s: int) -> tuple[int, int]:
        """Grow the region that begins here; the words behind it on both sides."""
        gold, system = self._gold, self._system
        if gold.in_range[g]:
            end = gold.end(g)
            # The other side, if it lags behind, is moved on by one word only.
            if not system.in_range[s] and system.start(s) < gold.start(g):
                s += 1
        else:
            end = system.end(s)
            if not gold.in_range[g] and gold.start(g) < system.start(s):
                g += 1
        gold_begin, system_begin = g, s
        while not (gold.is_beyond(g, end) and system.is_beyond(s, end)):
            if g < gold.words and (s >= system.words or gold.start(g) <= system.start(s)):
                end = max(end, gold.end(g)) if gold.in_range[g] else end
                g += 1
            else:
                end = max(end, system.end(s)) if system.in_range[s] else end
                s += 1
        if g > gold_begin and s > system_begin:
            self.bounds.append((gold_begin, g, system_begin, s))
        return g, s


class _Side:
    """One file, read word by word; memory views give plain integers faster than arrays do."""

    def __init__(self, treebank: Treebank, surface: Surface) -> None:
        self.words, self.tokens = treebank.words, treebank.tokens
        self.token = treebank.token.data
        self.in_range = treebank.in_range.data
        self._first = treebank.token_first.data
        self._start = surface.start.data

    def is_first(self, word: int) -> bool:
        return bool(self._first[self.token[word]] == word)

    def start(self, word: int) -> int:
        return int(self._start[self.token[word]])

    def end(self, word: int) -> int:
        return int(self._start[self.token[word] + 1])

    def is_beyond(self, word: int, end: int) -> bool:
        if word >= self.words:
            return True
        return self.start(word) >= end if self.in_range[word] else self.end(word) > end


def _spread(begin: Ints, end: Ints) -> tuple[Ints, Ints]:
    """All integers of several ranges one after the other, and the range of each."""
    sizes = end - begin
    region = np.repeat(np.arange(len(sizes)), sizes)
    offset = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return begin[region] + offset, region


def _diagonals(bounds: Ints) -> tuple[Ints, Ints]:
    return _spread(bounds[:, 0], bounds[:, 1])[0], _spread(bounds[:, 2], bounds[:, 3])[0]


def _firsts(sizes: Ints) -> Ints:
    """Where each region begins when the regions stand one after the other."""
    return np.cumsum(sizes) - sizes


def _first_equal(forms: Ints, region: Ints, single: Ints, wanted: Mask) -> Ints:
    """In each wanted region the first place whose form equals the region's single form, if there is one."""
    hits = np.flatnonzero(wanted[region] & (forms == single[region]))
    of_hit = region[hits]
    is_first = np.ones(len(hits), dtype=bool)
    is_first[1:] = of_hit[1:] != of_hit[:-1]
    return hits[is_first]


def _tabbed_forms(treebank: Treebank, words: Ints) -> bytes:
    """The forms of the words, each with the tab that follows it in the file."""
    forms = treebank.column(FORM)[words]
    joined, _ = gather(Fields(forms.data, forms.start, forms.length + 1))
    return joined[:-PADDING].tobytes()


def _difference(gold: Surface, system: Treebank, surface: Surface) -> Report:
    """Where the characters of the two files part, as a report about the system file."""
    shorter = min(gold.size, surface.size)
    differing = np.flatnonzero(gold.data[:shorter] != surface.data[:shorter])
    byte = int(differing[0]) if len(differing) else shorter
    # Step back to the first byte of the character.
    while byte and byte < gold.size and (gold.data[byte] & 0xC0) == 0x80:
        byte -= 1
    token = min(int(np.searchsorted(surface.start, byte, side="right")) - 1, system.tokens - 1)
    row = int(system.token_rows[token])
    position = len(gold.data[:byte].tobytes().decode("utf-8", "replace"))
    found, expected = (_excerpt(side, byte) for side in (surface, gold))
    incident = Incident(
        "characters-differ",
        int(system.layout.line[row]) + 1,
        int(system.layout.sentence[row]) + 1,
        found,
        expected,
        f"The files part at character {position + 1:,}, spaces not counted.",
    )
    return Report(system.name, (incident,), {"characters-differ": 1})


def _excerpt(surface: Surface, byte: int) -> str:
    text = surface.data[byte : min(byte + 4 * _SHOWN, surface.size)].tobytes().decode("utf-8", "replace")
    return f"“{visible(text[:_SHOWN])}”" if text else "the end of the file"
