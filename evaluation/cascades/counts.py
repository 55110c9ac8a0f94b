"""The counts of an experiment by run and sentence: all its figures are sums of them.

In: masks over the words of gold, from `Experiment`. Out: `ExperimentCounts`, which can be stored as bytes.
Figures over any sentences, for example over those that two systems cover, need nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from ..packing import Packed
from ..reading.fields import Ints, Mask
from .constraints import ALL, NONE
from .run_figures import RunFigures

Selection = Literal["every", "own"]
"""The sentences covered by every run of a class, or those covered by the run itself."""

CONSTRAINTS = ("constrained", "effective", "displaced", "distance")
SCORES = (
    *("words", "plain_heads", "plain_arcs", "heads", "arcs"),
    *("plain_heads_constrained", "heads_constrained", "plain_heads_free", "heads_free"),
)
"""Counted twice: without punctuation, and with it."""


@dataclass(frozen=True)
class ExperimentCounts(Packed):
    """`counts` has for each run and sentence: CONSTRAINTS, SCORES twice, then repaired and destroyed arcs by
    class.
    """

    FORMAT: ClassVar[str] = "cascades 1"

    runs: list[str]
    classes: list[str]
    covered: Mask
    impossible: Mask
    counts: Ints

    @property
    def sentences(self) -> int:
        return int(self.covered.shape[1])

    def covered_everywhere(self) -> Mask:
        """The sentences that every run of a class covers."""
        of_classes = [number for number, run in enumerate(self.runs) if run not in (ALL, NONE)]
        everywhere: Mask = np.logical_and.reduce(self.covered[of_classes], axis=0)
        return everywhere

    def selected(self, run: str, selection: Selection) -> Mask:
        return self.covered_everywhere() if selection == "every" else self.covered[self.runs.index(run)]

    def rows(
        self,
        selection: Selection = "every",
        *,
        punctuation: bool = False,
        within: Mask | None = None,
        beside: ExperimentCounts | None = None,
    ) -> list[RunFigures]:
        """A row per run. `within` restricts the sentences, `beside` to those that another system covers."""
        rows = []
        for run in self.runs if beside is None else [run for run in self.runs if run in beside.runs]:
            sentences = self.selected(run, selection)
            if within is not None:
                sentences = sentences & within
            if beside is not None:
                sentences = sentences & beside.selected(run, selection)
            rows.append(self._row(run, sentences, punctuation))
        return rows

    def of_sentences(self, run: str) -> tuple[Ints, Ints, Ints]:
        """By sentence: effective constraints, and arcs outside the class that are repaired and destroyed."""
        counts = self.counts[self.runs.index(run)].astype(np.int64)
        repaired, destroyed = self._by_class(counts)
        return counts[:, CONSTRAINTS.index("effective")], repaired.sum(axis=1), destroyed.sum(axis=1)

    def _row(self, run: str, sentences: Mask, punctuation: bool) -> RunFigures:
        number = self.runs.index(run)
        sums = self.counts[number][sentences].astype(np.int64).sum(axis=0)
        begin = len(CONSTRAINTS) + (len(SCORES) if punctuation else 0)
        scores = dict(zip(SCORES, sums[begin : begin + len(SCORES)].tolist(), strict=True))
        repaired, destroyed = self._by_class(sums[np.newaxis])
        return RunFigures(
            run=run,
            sentences=self.sentences,
            covered=int(self.covered[number].sum()),
            impossible=int(self.impossible[number].sum()),
            selected=int(np.count_nonzero(sentences)),
            **dict(zip(CONSTRAINTS, sums[: len(CONSTRAINTS)].tolist(), strict=True)),
            **{name: scores[name] for name in SCORES[:5]},
            constrained_gain=scores["heads_constrained"] - scores["plain_heads_constrained"],
            unconstrained_gain=scores["heads_free"] - scores["plain_heads_free"],
            repaired=dict(zip(self.classes, repaired[0].tolist(), strict=True)),
            destroyed=dict(zip(self.classes, destroyed[0].tolist(), strict=True)),
        )

    def _by_class(self, counts: Ints) -> tuple[Ints, Ints]:
        begin, size = len(CONSTRAINTS) + 2 * len(SCORES), len(self.classes)
        return counts[:, begin : begin + size], counts[:, begin + size :]
