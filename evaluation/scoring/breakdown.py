"""The accuracy of a system by relation, tag, length and direction.

In: a `Comparison`. Out: `Breakdowns`, integer counts only, so that those of several files add up with `+`.

Gold words are grouped by their gold columns, system words by their system columns. So precision is over the
system words of a group and recall over its gold words, and a correct pair whose two words are in different
groups (for example a correct head and a wrong tag) counts once on each side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ..reading.fields import Ints, Mask
from ..reading.layout import UPOS
from ..reading.treebank import Labels
from ..reading.trees import ROOT
from .compare import Comparison
from .groups import Breakdown, Confusion, Correct, Group

OTHERS = "(others)"

_WITHOUT_ORDER = ("relation", "subtype", "upos")

# A file may use a new relation for every word; the rarest beyond this number count as one group.
_MAX_LABELS = 400
_LENGTHS = ((1, "1"), (2, "2"), (3, "3–6"), (7, "7+"))
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
    # Here LAS and LA compare full relations, regardless of the option about subtypes.
    subtype: Breakdown
    upos: Breakdown
    # The distance from a word to its head in words; the direction of the head; both combined.
    length: Breakdown
    direction: Breakdown
    signed_length: Breakdown
    # By the length of the gold sentence; a system word counts where the first character of its token is.
    sentence_length: Breakdown
    confusion: Confusion

    def __add__(self, other: Breakdowns) -> Breakdowns:
        added = {f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self)}
        return Breakdowns(**added)

    def as_dict(self) -> dict[str, Any]:
        """Plain lists of strings and integers, for JSON."""
        document: dict[str, Any] = {}
        for f in fields(self):
            part = getattr(self, f.name)
            if isinstance(part, Breakdown):
                document[f.name] = [group.as_list() for group in part.groups]
            else:
                document[f.name] = [[gold, system, count] for (gold, system), count in part.counts.items()]
        return document

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Breakdowns:
        parts: dict[str, Any] = {
            name: Breakdown(tuple(map(Group.from_list, rows)), name not in _WITHOUT_ORDER)
            for name, rows in document.items()
            if name != "confusion"
        }
        counts = {(gold, system): count for gold, system, count in document["confusion"]}
        return cls(**parts, confusion=Confusion(counts))


def break_down(comparison: Comparison) -> Breakdowns:
    """Compute all breakdowns of a comparison."""
    table = _Table(comparison)
    gold, system, pairs = comparison.gold, comparison.system, comparison.alignment
    universal = _shared_codes(gold.universal_relations, system.universal_relations)
    full = _shared_codes(gold.relations, system.relations)
    tags = _shared_codes(Labels.of(gold.column(UPOS)), Labels.of(system.column(UPOS)))
    same_subtype = full[1][pairs.gold] == full[2][pairs.system]
    distances = [np.where(t.parent == ROOT, 0, t.parent - np.arange(t.words)) for t in (gold, system)]
    length = [_bin(np.abs(d), _LENGTHS) for d in distances]
    steps = len(_LENGTHS)
    unsigned = ["root", *(label for _, label in _LENGTHS)]
    signed = [f"{label} before" for _, label in reversed(_LENGTHS)]
    signed += ["root", *(f"{label} after" for _, label in _LENGTHS)]
    of_sentence = _bin(np.diff(gold.sentence_first_word), _SENTENCE_LENGTHS) - 1
    return Breakdowns(
        relation=table.group_by(*universal),
        subtype=table.group_by(*full, same_relation=same_subtype),
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
            of_sentence[_gold_sentence_of_system_words(comparison)],
            has_order=True,
        ),
        confusion=table.confusion(*universal),
    )


class _Table:
    """The counted words and the correct pairs of one comparison, ready for any grouping."""

    def __init__(self, comparison: Comparison) -> None:
        self._pairs = comparison.alignment
        counted = comparison.counted_words(comparison.options.punctuation)
        self._gold, self._system, self._aligned = counted.gold, counted.system, counted.aligned
        self._head = comparison.agrees("head")
        self._relation = comparison.agrees("relation")

    def group_by(
        self,
        labels: Sequence[str],
        gold: Ints,
        system: Ints,
        *,
        same_relation: Mask | None = None,
        has_order: bool = False,
    ) -> Breakdown:
        """Count by the groups of the gold words and of the system words, as indices of `labels`."""
        relation = self._relation if same_relation is None else same_relation
        agree = {"UAS": self._head, "LAS": self._head & relation, "LA": relation}
        gold_of_pair, system_of_pair = gold[self._pairs.gold], system[self._pairs.system]

        def count(groups: Ints) -> list[int]:
            return np.bincount(groups, minlength=len(labels)).tolist()  # type: ignore[no-any-return]

        correct = {
            metric: (count(gold_of_pair[mask & self._aligned]), count(system_of_pair[mask & self._aligned]))
            for metric, mask in agree.items()
        }
        gold_count, system_count = count(gold[self._gold]), count(system[self._system])
        aligned = count(gold_of_pair[self._aligned])

        def group(n: int, label: str) -> Group:
            correct_in_group = {
                metric: Correct(by_gold[n], by_system[n]) for metric, (by_gold, by_system) in correct.items()
            }
            return Group(label, gold_count[n], system_count[n], aligned[n], correct_in_group)

        return Breakdown.of((group(n, label) for n, label in enumerate(labels)), has_order=has_order)

    def confusion(self, labels: Sequence[str], gold: Ints, system: Ints) -> Confusion:
        aligned = self._aligned
        codes = gold[self._pairs.gold[aligned]] * len(labels) + system[self._pairs.system[aligned]]
        pairs, counts = np.unique(codes, return_counts=True)
        return Confusion(
            {
                (labels[code // len(labels)], labels[code % len(labels)]): count
                for code, count in zip(pairs.tolist(), counts.tolist(), strict=True)
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


def _gold_sentence_of_system_words(comparison: Comparison) -> Ints:
    gold, pairs = comparison.gold, comparison.alignment
    starts = pairs.gold_surface.start[gold.sentence_first_token[:-1]]
    of_token = np.searchsorted(starts, pairs.system_surface.start[:-1], side="right") - 1
    return of_token[comparison.system.token]
