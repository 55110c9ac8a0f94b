"""What a system gets right by relation, tag, length and direction, for every word metric of the profile.

In: a `Comparison`. Out: `Breakdowns`, integer counts only, so that those of several files add up with `+`.

Gold words are grouped by their gold columns, system words by their system columns. So precision is over the
system words of a group and recall over its gold words, and a correct pair whose two words are in different
groups (for example a correct head and a wrong tag) counts once on each side. The sums over all groups are the
metric's counts of the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise

import numpy as np

from ..packing import Buffer, narrow, pack, unpack
from ..reading.fields import Ints, Mask
from ..reading.layout import UPOS
from ..reading.treebank import Labels
from ..reading.trees import ROOT
from .compare import Comparison
from .groups import COUNTS, Breakdown, Confusion
from .selection import word_selections
from .units import gold_sentence_of_tokens

OTHERS = "(others)"

_FORMAT = "breakdowns 2"
_WITHOUT_ORDER = ("relation", "subtype", "upos")

# A file may use a new relation for every word; the rarest beyond this number count as one group.
_MAX_LABELS = 400
_SENTENCE_LENGTHS = (
    (1, "1–5"),
    (6, "6–10"),
    (11, "11–20"),
    (21, "21–30"),
    (31, "31–40"),
    (41, "41–50"),
    (51, "51+"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Breakdowns:
    """All breakdowns of one file, or of several added up."""

    relation: Breakdown
    # Here full relations are compared, regardless of the option about subtypes.
    subtype: Breakdown
    upos: Breakdown
    # The distance from a word to its head in words; the direction of the head; both combined.
    length: Breakdown
    direction: Breakdown
    signed_length: Breakdown
    # By the length of the gold sentence; a system word counts where the first character of its token is.
    sentence_length: Breakdown
    confusion: Confusion

    @property
    def metrics(self) -> tuple[str, ...]:
        return self.relation.metrics

    def parts(self) -> Iterator[tuple[str, Breakdown]]:
        """The breakdowns by name, without the confusions."""
        for f in fields(self):
            if f.name != "confusion":
                yield f.name, getattr(self, f.name)

    @classmethod
    def total(cls, files: Sequence[Breakdowns]) -> Breakdowns:
        """Those of several files, added up."""
        parts = {
            name: Breakdown.total([getattr(file, name) for file in files]) for name, _ in files[0].parts()
        }
        return cls(**parts, confusion=Confusion.total([file.confusion for file in files]))

    def __add__(self, other: Breakdowns) -> Breakdowns:
        return Breakdowns.total([self, other])

    def to_bytes(self) -> bytes:
        arrays = {name: narrow(part.counts) for name, part in self.parts()}
        strings: dict[str, Sequence[str]] = {name: part.labels for name, part in self.parts()}
        relations = list(self.confusion.relations())
        code = {relation: n for n, relation in enumerate(relations)}
        pairs = [(code[gold], code[system], count) for (gold, system), count in self.confusion.counts.items()]
        arrays["confusion"] = narrow(np.array(pairs, dtype=np.int64).reshape(-1, 3))
        return pack(_FORMAT, arrays, strings | {"confusion": relations, "metrics": self.metrics})

    @classmethod
    def from_bytes(cls, stored: Buffer) -> Breakdowns:
        """What `to_bytes` wrote; ValueError where it is anything else."""
        arrays, strings = unpack(_FORMAT, stored)
        try:
            metrics, relations = tuple(strings.pop("metrics")), strings.pop("confusion")
            pairs = arrays.pop("confusion").tolist()
            parts = {
                name: Breakdown(
                    tuple(labels),
                    metrics,
                    arrays[name].astype(np.int64).reshape(len(labels), len(metrics), COUNTS),
                    name not in _WITHOUT_ORDER,
                )
                for name, labels in strings.items()
            }
            counts = {(relations[gold], relations[system]): count for gold, system, count in pairs}
            return cls(**parts, confusion=Confusion(counts))
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise ValueError(f"damaged {_FORMAT}: {error}") from error


def break_down(comparison: Comparison) -> Breakdowns:
    """Compute all breakdowns of a comparison."""
    table, with_subtypes = _Table(comparison), _Table(comparison.with_subtypes())
    gold, system = comparison.gold, comparison.system
    universal = _shared_codes(gold.universal_relations, system.universal_relations)
    full = _shared_codes(gold.relations, system.relations)
    tags = _shared_codes(Labels.from_fields(gold.column(UPOS)), Labels.from_fields(system.column(UPOS)))
    distances = (comparison.profile.distances or _distances)(comparison)
    lengths = _arc_lengths(comparison.profile.arc_lengths)
    length = [_bin(np.abs(d), lengths) for d in distances]
    steps = len(lengths)
    unsigned = ["root", *(label for _, label in lengths)]
    signed = [f"{label} before" for _, label in reversed(lengths)]
    signed += ["root", *(f"{label} after" for _, label in lengths)]
    of_sentence = _bin(np.diff(gold.sentence_first_word), _SENTENCE_LENGTHS) - 1
    return Breakdowns(
        relation=table.group_by(*universal),
        subtype=with_subtypes.group_by(*full),
        upos=table.group_by(*tags),
        length=table.group_by(unsigned, *length, has_order=True),
        direction=table.group_by(
            ["head before", "root", "head after"], *(np.sign(d) + 1 for d in distances), has_order=True
        ),
        signed_length=table.group_by(
            signed, *(steps + np.sign(d) * n for d, n in zip(distances, length, strict=True)), has_order=True
        ),
        sentence_length=table.group_by(
            [label for _, label in _SENTENCE_LENGTHS],
            of_sentence[gold.sentence],
            of_sentence[gold_sentence_of_tokens(comparison)[system.token]],
            has_order=True,
        ),
        confusion=_confusion(comparison, *universal),
    )


def _distances(comparison: Comparison) -> tuple[Ints, Ints]:
    """In words, in the trees as they are in the files."""
    gold, system = (
        np.where(treebank.parent == ROOT, 0, treebank.parent - np.arange(treebank.words))
        for treebank in (comparison.gold, comparison.system)
    )
    return gold, system


def _arc_lengths(beginnings: Sequence[int]) -> list[tuple[int, str]]:
    """The groups that begin at these lengths, with their names."""
    groups = [
        (least, f"{least}" if following == least + 1 else f"{least}–{following - 1}")
        for least, following in pairwise(beginnings)
    ]
    return [*groups, (beginnings[-1], f"{beginnings[-1]}+")]


class _Table:
    """What every word metric counts in one comparison, ready for any grouping."""

    def __init__(self, comparison: Comparison) -> None:
        self._pairs = comparison.alignment
        # LA is optional among scores, but here it shows which relations are mislabelled.
        selections = dict(word_selections(comparison))
        self._metrics = tuple(selections)
        counted = [selection.counted for selection in selections.values()]
        correct = [selection.correct for selection in selections.values()]
        self._gold = _Marks([words.gold for words in counted])
        self._system = _Marks([words.system for words in counted])
        self._aligned = _Marks([words.aligned for words in counted])
        self._correct = _Marks(correct)
        self._accuracies = [n for n, name in enumerate(selections) if selections[name].accuracy]

    def group_by(
        self, labels: Sequence[str], gold: Ints, system: Ints, *, has_order: bool = False
    ) -> Breakdown:
        """Count by the groups of the gold words and of the system words, as indices of `labels`."""
        size, gold_of_pair = len(labels), gold[self._pairs.gold]
        counts = (
            self._gold.count(gold, size),
            self._system.count(system, size),
            self._aligned.count(gold_of_pair, size),
            self._correct.count(gold_of_pair, size),
            self._correct.count(system[self._pairs.system], size),
        )
        # Gold alone decides what an accuracy counts.
        counts[1][:, self._accuracies] = counts[0][:, self._accuracies]
        counts[4][:, self._accuracies] = counts[3][:, self._accuracies]
        return Breakdown(tuple(labels), self._metrics, np.stack(counts, axis=2), has_order).in_order()


class _Marks:
    """Several masks over the same items. Items in the same masks are counted together, in one pass."""

    def __init__(self, masks: Sequence[Mask]) -> None:
        codes = np.zeros(len(masks[0]), dtype=np.int64)
        for n, mask in enumerate(masks):
            codes |= mask.astype(np.int64) << n
        combinations, self._combination = np.unique(codes, return_inverse=True)
        self._masks = (combinations[:, np.newaxis] >> np.arange(len(masks))) & 1

    def count(self, groups: Ints, size: int) -> Ints:
        """For each of `size` groups, the number of its items in each mask."""
        combinations = len(self._masks)
        counts = np.bincount(groups * combinations + self._combination, minlength=size * combinations)
        in_masks: Ints = counts.reshape(size, combinations) @ self._masks
        return in_masks


def _confusion(comparison: Comparison, labels: Sequence[str], gold: Ints, system: Ints) -> Confusion:
    pairs = comparison.alignment
    aligned = comparison.counted_words(comparison.options.punctuation).aligned
    codes = gold[pairs.gold[aligned]] * len(labels) + system[pairs.system[aligned]]
    used, counts = np.unique(codes, return_counts=True)
    return Confusion(
        {
            (labels[code // len(labels)], labels[code % len(labels)]): count
            for code, count in zip(used.tolist(), counts.tolist(), strict=True)
        }
    )


def _shared_codes(gold: Labels, system: Labels) -> tuple[list[str], Ints, Ints]:
    """One list of labels for both sides, and each side's words as indices of it."""
    known: dict[str, int] = {}
    codes = []
    for side in (gold, system):
        codes.append(np.array([known.setdefault(name, len(known)) for name in side.names])[side.codes])
    labels = list(known)
    if len(labels) > _MAX_LABELS:
        frequency = np.bincount(np.concatenate(codes), minlength=len(labels))
        frequent = sorted(range(len(labels)), key=lambda n: (-int(frequency[n]), labels[n]))[:_MAX_LABELS]
        fold = np.full(len(labels), _MAX_LABELS)
        fold[frequent] = np.arange(_MAX_LABELS)
        labels = [*(labels[n] for n in frequent), OTHERS]
        codes = [fold[c] for c in codes]
    return labels, codes[0], codes[1]


def _bin(values: Ints, bins: Sequence[tuple[int, str]]) -> Ints:
    """The number of each value's bin, from 1; 0 for values before the first bin."""
    return np.searchsorted([least for least, _ in bins], values, side="right")
