"""The figures of one run of an experiment: integers, and the fractions that follow from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFigures:
    """Counts over the selected sentences, except for `sentences`, `covered` and `impossible`.

    `words`, heads, arcs and gains leave out punctuation unless it was asked for; constraints and repaired and
    destroyed arcs are counted on all words. Gains add up to the difference of `heads` and `plain_heads`.
    """

    run: str
    sentences: int
    covered: int
    impossible: int
    selected: int
    constrained: int
    # Constrained words whose head is wrong in the plain output; those of them with a displacement; its sum.
    effective: int
    displaced: int
    distance: int
    words: int
    plain_heads: int
    plain_arcs: int
    heads: int
    arcs: int
    constrained_gain: int
    unconstrained_gain: int
    # Arcs of unconstrained words by class.
    repaired: Mapping[str, int]
    destroyed: Mapping[str, int]

    def __add__(self, other: RunFigures) -> RunFigures:
        """The same run on another test set, with the same classes."""
        if (self.run, list(self.repaired)) != (other.run, list(other.repaired)):
            raise ValueError(f"the runs {self.run} and {other.run} have different names or classes")
        sums = {
            name: getattr(self, name) + getattr(other, name)
            for name in self.__dataclass_fields__
            if name not in ("run", "repaired", "destroyed")
        }
        repaired = {name: self.repaired[name] + other.repaired[name] for name in self.repaired}
        destroyed = {name: self.destroyed[name] + other.destroyed[name] for name in self.destroyed}
        return RunFigures(run=self.run, repaired=repaired, destroyed=destroyed, **sums)

    @property
    def coverage(self) -> float:
        return _share(self.covered, self.sentences)

    @property
    def effective_share(self) -> float:
        return _share(self.effective, self.constrained)

    @property
    def displacement(self) -> float | None:
        return self.distance / self.displaced if self.displaced else None

    @property
    def plain_uas(self) -> float:
        return _share(self.plain_heads, self.words)

    @property
    def plain_las(self) -> float:
        return _share(self.plain_arcs, self.words)

    @property
    def uas(self) -> float:
        return _share(self.heads, self.words)

    @property
    def las(self) -> float:
        return _share(self.arcs, self.words)

    @property
    def gain(self) -> int:
        return self.heads - self.plain_heads

    @property
    def delta_uas(self) -> float:
        return _share(self.gain, self.words)

    @property
    def delta_constrained(self) -> float:
        return _share(self.constrained_gain, self.words)

    @property
    def delta_unconstrained(self) -> float:
        return _share(self.unconstrained_gain, self.words)

    def as_dict(self) -> dict[str, object]:
        """The counts and the fractions."""
        counts: dict[str, object] = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return counts | {
            "coverage": self.coverage,
            "effective_share": self.effective_share,
            "displacement": self.displacement,
            "plain_uas": self.plain_uas,
            "plain_las": self.plain_las,
            "uas": self.uas,
            "las": self.las,
            "delta_uas": self.delta_uas,
            "delta_constrained": self.delta_constrained,
            "delta_unconstrained": self.delta_unconstrained,
        }


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
