"""Align the words of two files around ranges.

In: two treebanks and their pairs of tokens with equal spans. Out: the pairs of words.

The definition is a walk over both files, token by token (`_Walk`): where neither of the two current tokens is
a range they align if their spans are equal, else the one that starts earlier is passed (on a tie the gold
one); otherwise a region is grown around the ranges, and its words align by a longest common subsequence of
their lower-cased forms. The state of the walk consists of its two positions. So whenever both are at tokens
with equal spans, the rest of the walk does not depend on its past, and all such pairs are handled at once;
the walk itself is needed only for unmatched tokens with a range among them or directly after them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..reading.characters import remove_characters
from ..reading.fields import PADDING, Fields, Ints, Mask, equal, gather, indices, pad
from ..reading.intern import intern
from ..reading.layout import FORM
from ..reading.treebank import Surface, Treebank
from .subsequence import longest_common_subsequence


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two files, its characters, and its tokens with a partner of the same span."""

    treebank: Treebank
    surface: Surface
    matched: Ints


def align_words(gold: Side, system: Side, spaces: tuple[bytes, ...]) -> tuple[Ints, Ints]:
    """The pairs of words, in order."""
    gold_range = gold.treebank.is_multiword[gold.matched]
    system_range = system.treebank.is_multiword[system.matched]
    plain = ~gold_range & ~system_range
    walked, regions = _walk_where_needed(gold, system, plain)

    direct = indices(plain & ~walked)
    pairs = [
        (
            gold.treebank.token_first[gold.matched[direct]],
            system.treebank.token_first[system.matched[direct]],
        )
    ]
    # A range whose partner has the same span is its own region.
    single = indices(~plain & ~walked)
    sides = (gold.matched[single], system.matched[single])
    bounds = _word_bounds(gold, system, np.stack([sides[0], sides[0] + 1, sides[1], sides[1] + 1], axis=1))
    identical = _identical(gold, system, bounds)
    pairs.append(_diagonals(bounds[identical]))
    walked_bounds = _word_bounds(gold, system, np.array(regions, dtype=np.int64).reshape(-1, 4))
    pairs.append(_subsequences(gold, system, np.concatenate([bounds[~identical], walked_bounds]), spaces))
    gold_words = np.concatenate([of_gold for of_gold, _ in pairs])
    system_words = np.concatenate([of_system for _, of_system in pairs])
    order = np.argsort(gold_words, kind="stable")
    return gold_words[order], system_words[order]


def _word_bounds(gold: Side, system: Side, tokens: Ints) -> Ints:
    """From bounds of regions in tokens to bounds in words: gold begin and end, system begin and end."""
    return np.concatenate(
        [gold.treebank.token_first[tokens[:, :2]], system.treebank.token_first[tokens[:, 2:]]], axis=1
    )


def _walk_where_needed(gold: Side, system: Side, plain: Mask) -> tuple[Mask, list[tuple[int, ...]]]:
    """Which pairs of tokens the walk has passed, and the regions that it has found, in tokens."""
    begins, ends, ranges = [], [], np.zeros(len(plain) + 1, dtype=np.int64)
    for side in (gold, system):
        begins.append(np.append(0, side.matched + 1))
        ends.append(np.append(side.matched, side.treebank.tokens))
        ranges_before = np.append(0, np.cumsum(side.treebank.is_multiword))
        ranges += ranges_before[ends[-1]] - ranges_before[begins[-1]]
    touched = (ranges > 0) | np.append(~plain, False)
    walk = _Walk(gold, system)
    walked = np.zeros(len(plain), dtype=bool)
    next_pair = 0
    for stretch in indices(touched & (ends[0] > begins[0])).tolist():
        if stretch < next_pair:
            continue
        reached = walk.walk(int(begins[0][stretch]), int(begins[1][stretch]))
        next_pair = int(np.searchsorted(gold.matched, reached))
        walked[stretch:next_pair] = True
        # The stretch before the pair that was reached has been walked as well.
        next_pair += 1
    return walked, walk.regions


class _Walk:
    """The definition, step by step. Positions are tokens: the words of a range always stay together."""

    def __init__(self, gold: Side, system: Side) -> None:
        self.regions: list[tuple[int, ...]] = []
        self._gold, self._system = _Track(gold), _Track(system)
        partner = np.full(gold.treebank.tokens, -1, dtype=np.int64)
        partner[gold.matched] = system.matched
        self._partner = partner.data

    def walk(self, g: int, s: int) -> int:
        """Walk until both sides are at tokens with equal spans; returns the gold token reached."""
        gold, system = self._gold, self._system
        while g < gold.size and s < system.size and self._partner[g] != s:
            if gold.is_range[g] or system.is_range[s]:
                g, s = self._region(g, s)
            elif gold.start[g] <= system.start[s]:
                g += 1
            else:
                s += 1
        return g if s < system.size else gold.size

    def _region(self, g: int, s: int) -> tuple[int, int]:
        """Grow the region that begins here; returns the next token after it on each side."""
        gold, system = self._gold, self._system
        # A side that is behind the range that opens the region advances by one word only.
        if gold.is_range[g]:
            end = gold.start[g + 1]
            s += not system.is_range[s] and system.start[s] < gold.start[g]
        else:
            end = system.start[s + 1]
            g += gold.start[g] < system.start[s]
        gold_begin, system_begin = g, s
        while not (gold.is_beyond(g, end) and system.is_beyond(s, end)):
            if g < gold.size and (s >= system.size or gold.start[g] <= system.start[s]):
                end = max(end, gold.start[g + 1]) if gold.is_range[g] else end
                g += 1
            else:
                end = max(end, system.start[s + 1]) if system.is_range[s] else end
                s += 1
        if g > gold_begin and s > system_begin:
            self.regions.append((gold_begin, g, system_begin, s))
        return g, s


class _Track:
    """One file read token by token; memory views give plain integers faster than arrays do."""

    def __init__(self, side: Side) -> None:
        self.size = side.treebank.tokens
        self.is_range = side.treebank.is_multiword.data
        self.start = side.surface.start.data

    def is_beyond(self, token: int, end: int) -> bool:
        if token >= self.size:
            return True
        return bool(self.start[token] >= end if self.is_range[token] else self.start[token + 1] > end)


def _identical(gold: Side, system: Side, bounds: Ints) -> Mask:
    """Regions with the same forms in the same order on both sides: the subsequence is all of them."""
    sizes = bounds[:, 1] - bounds[:, 0]
    result: Mask = sizes == bounds[:, 3] - bounds[:, 2]
    rows = indices(result)
    gold_words, system_words = _diagonals(bounds[rows])
    same = equal(gold.treebank.column(FORM)[gold_words], system.treebank.column(FORM)[system_words])
    # A word outside a range loses its spaces before it is compared, so equal bytes need not be equal forms.
    same &= gold.treebank.in_range[gold_words] & system.treebank.in_range[system_words]
    result[np.repeat(rows, sizes[rows])[~same]] = False
    return result


def _subsequences(gold: Side, system: Side, bounds: Ints, spaces: tuple[bytes, ...]) -> tuple[Ints, Ints]:
    """Align every region by the forms of its words."""
    gold_words, gold_region = _expand(bounds[:, 0], bounds[:, 1])
    system_words, system_region = _expand(bounds[:, 2], bounds[:, 3])
    gold_forms, system_forms = _lowered_forms(gold, gold_words, system, system_words, spaces)
    gold_size, system_size = bounds[:, 1] - bounds[:, 0], bounds[:, 3] - bounds[:, 2]
    gold_at, system_at = np.cumsum(gold_size) - gold_size, np.cumsum(system_size) - system_size

    # One word against several aligns with the first that equals it: no table is needed.
    system_alone = _first_equal(gold_forms, gold_region, system_forms[system_at], system_size == 1)
    gold_alone = _first_equal(
        system_forms, system_region, gold_forms[gold_at], (gold_size == 1) & (system_size > 1)
    )
    pairs = [
        (gold_words[system_alone], bounds[gold_region[system_alone], 2]),
        (bounds[system_region[gold_alone], 0], system_words[gold_alone]),
    ]
    matched: list[tuple[int, int]] = []
    several = (gold_size > 1) & (system_size > 1)
    gold_list, system_list = gold_forms.tolist(), system_forms.tolist()
    parts = np.stack([gold_at, gold_at + gold_size, system_at, system_at + system_size], axis=1)
    for g, g_end, s, s_end in parts[several].tolist():
        matches = longest_common_subsequence(gold_list[g:g_end], system_list[s:s_end])
        matched.extend((g + left, s + right) for left, right in matches)
    places = np.array(matched, dtype=np.int64).reshape(-1, 2)
    pairs.append((gold_words[places[:, 0]], system_words[places[:, 1]]))
    return np.concatenate([g for g, _ in pairs]), np.concatenate([s for _, s in pairs])


def _lowered_forms(
    gold: Side, gold_words: Ints, system: Side, system_words: Ints, spaces: tuple[bytes, ...]
) -> tuple[Ints, Ints]:
    """Integers that are equal exactly if the lower-cased forms are."""
    spaced, spaceless = bytearray(), bytearray()
    in_ranges = []
    for side, words in ((gold, gold_words), (system, system_words)):
        in_range = side.treebank.in_range[words]
        in_ranges.append(in_range)
        # A form keeps its spaces inside a range; outside, they are removed as in its token.
        spaced += _tabbed_forms(side.treebank, words[in_range])
        spaceless += remove_characters(pad(_tabbed_forms(side.treebank, words[~in_range])), spaces)
    # A tab ends a word for every rule of lower-casing, so all forms can be lowered together.
    lowered = pad((spaced + spaceless).decode().lower().encode())
    ends = indices(lowered == ord("\t"))
    starts = np.append(0, ends[:-1] + 1)[: len(ends)]
    codes = intern(Fields(lowered, starts, ends - starts)).codes
    # The order of the forms is: gold inside ranges, system inside, gold outside, system outside.
    in_range = np.concatenate(in_ranges)
    of_word = np.empty(len(codes), dtype=np.int64)
    inside = int(np.count_nonzero(in_range))
    of_word[in_range], of_word[~in_range] = codes[:inside], codes[inside:]
    return of_word[: len(gold_words)], of_word[len(gold_words) :]


def _tabbed_forms(treebank: Treebank, words: Ints) -> bytes:
    """The forms of the words, each with the tab that follows it in the file."""
    forms = treebank.column(FORM)[words]
    joined, _ = gather(Fields(forms.data, forms.start, forms.length + 1))
    return joined[:-PADDING].tobytes()


def _first_equal(forms: Ints, region: Ints, single: Ints, selected: Mask) -> Ints:
    """In each selected region the first position whose form equals the region's single form, if any."""
    hits = indices(selected[region] & (forms == single[region]))
    of_hit = region[hits]
    is_first = np.ones(len(hits), dtype=bool)
    is_first[1:] = of_hit[1:] != of_hit[:-1]
    return hits[is_first]


def _expand(begin: Ints, end: Ints) -> tuple[Ints, Ints]:
    """All integers of several ranges one after the other, and the range of each."""
    sizes = end - begin
    region = np.repeat(np.arange(len(sizes)), sizes)
    offset = np.arange(len(region)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return begin[region] + offset, region


def _diagonals(bounds: Ints) -> tuple[Ints, Ints]:
    return _expand(bounds[:, 0], bounds[:, 1])[0], _expand(bounds[:, 2], bounds[:, 3])[0]
