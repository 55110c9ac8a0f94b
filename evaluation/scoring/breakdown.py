"""Where a system is good and where it is not: counts by relation, tag, length and direction.

In: a `Comparison`. Out: `Breakdowns`, integer counts only, so that those of several files add up with `+`.

A word belongs to a group by its own columns: a gold word by gold's, a system word by the system's. So
precision is over what the system put into a group and recall over what gold has there, and a correct pair
whose two words fall into different groups (a right head under a wrong tag, say) counts once on each side.
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

# A file may invent a relation for every word; the rarest beyond this many count as one group.
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
    """All divisions of one file, or of several added up."""

    relation: Breakdown
    # Here LAS and LA ask for the whole relation, whatever the option about subtypes says.
    subtype: Breakdown
    upos: Breakdown
    # In words from a word to its head; then where the head stands; then both at once.
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
        told: dict[str, Any] = {}
        for f in fields(self):
            part = getattr(self, f.name)
            if isinstance(part, Breakdown):
                told[f.name] = [group.as_list() for group in part.groups]
            else:
                told[f.name] = [[gold, system, count] for (gold, system), count in part.counts.items()]
        return told

    @classmethod
    def from_dict(cls, told: Mapping[str, Any]) -> Breakdowns:
        parts: dict[str, Any] = {
            name: Breakdown(tuple(map(Group.from_list, rows)), name not in _WITHOUT_ORDER)
            for name, rows in told.items()
            if name != "confusion"
        }
        counts = {(gold, system): count for gold, system, count in told["confusion"]}
        return cls(**parts, confusion=Confusion(counts))


def break_down(comparison: Comparison) -> Breakdowns:
    """Divide the words of a comparison in every way there is."""
    table = _Table(comparison)
    gold, system, pairs = comparison.gold, comparison.system, comparison.alignment
    cut = _shared_codes(gold.universal_relations, system.universal_relations)
    whole = _shared_codes(gold.relations, system.relations)
    tags = _shared_codes(Labels.of(gold.column(UPOS)), Labels.of(system.column(UPOS)))
    same_subtype = whole[1][pairs.gold] == whole[2][pairs.system]
    distances = [np.where(t.parent == ROOT, 0, t.parent - np.arange(t.words)) for t in (gold, system)]
    length = [_binned(np.abs(d), _LENGTHS) for d in distances]
    steps = len(_LENGTHS)
    unsigned = ["root", *(label for _, label in _LENGTHS)]
    signed = [f"{label} before" for _, label in reversed(_LENGTHS)]
    signed += ["root", *(f"{label} after" for _, label in _LENGTHS)]
    of_sentence = _binned(np.diff(gold.sentence_first_word), _SENTENCE_LENGTHS) - 1
    return Breakdowns(
        relation=table.by(*cut),
        subtype=table.by(*whole, same_relation=same_subtype),
        upos=table.by(*tags),
        length=table.by(unsigned, *length, has_order=True),
        direction=table.by(
            ["head before", "root", "head after"], *(np.sign(d) + 1 for d in distances), has_order=True
        ),
        signed_length=table.by(
            signed, *(steps + np.sign(d) * n for d, n in zip(distances, length, strict=True)), has_order=True
        ),
        sentence_length=table.by(
            [label for _, label in _SENTENCE_LENGTHS],
            of_sentence[gold.sentence],
            of_sentence[_gold_sentence_of_system_words(comparison)],
            has_order=True,
        ),
        confusion=table.confusion(*cut),
    )


class _Table:
    """The kept words and the correct pairs of one comparison, ready to be counted by any grouping."""

    def __init__(self, comparison: Comparison) -> None:
        self._pairs = comparison.alignment
        kept = comparison.kept(comparison.options.punctuation)
        self._gold, self._system, self._aligned = kept.gold, kept.system, kept.aligned
        self._head = comparison.agrees("head")
        self._relation = comparison.agrees("relation")

    def by(
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
            found = {
                metric: Correct(by_gold[n], by_system[n]) for metric, (by_gold, by_system) in correct.items()
            }
            return Group(label, gold_count[n], system_count[n], aligned[n], found)

        return Breakdown.of((group(n, label) for n, label in enumerate(labels)), has_order=has_order)

    def confusion(self, labels: Sequence[str], gold: Ints, system: Ints) -> Confusion:
        kept = self._aligned
        codes = gold[self._pairs.gold[kept]] * len(labels) + system[self._pairs.system[kept]]
        found, counts = np.unique(codes, return_counts=True)
        return Confusion(
            {
                (labels[code // len(labels)], labels[code % len(labels)]): count
                for code, count in zip(found.tolist(), counts.tolist(), strict=True)
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
        kept = sorted(range(len(labels)), key=lambda n: (-int(frequency[n]), labels[n]))[:_MAX_LABELS]
        fold = np.full(len(labels), _MAX_LABELS)
        fold[kept] = np.arange(_MAX_LABELS)
        labels = [*(labels[n] for n in kept), OTHERS]
        codes = [fold[c] for c in codes]
    return labels, codes[0], codes[1]


def _binned(values: Ints, bins: Sequence[tuple[int, str]]) -> Ints:
    """The number of each value's bin from 1; 0 for what lies before the first."""
    return np.searchsorted([least for least, _ in bins], values, side="right")


def _gold_sentence_of_system_words(comparison: Comparison) -> Ints:
    gold, pairs = comparison.gold, comparison.alignment
    starts = pairs.gold_surface.start[gold.sentence_first_token[:-1]]
    of_token = np.searchsorted(starts, pairs.system_surface.start[:-1], side="right") - 1
    return of_token[comparison.system.token]
