"""What an experiment shows: how constraints on one class of words change the whole tree.

In: gold, the output of the plain run and those of the constrained runs. Out: for each run a row of integers.
A sentence is covered by a run if the output keeps all its constraints. Figures are over the sentences that
all runs of classes cover, or over those that the run itself covers.

The experiment and the classes are those of Ng and Curran (2015), Identifying Cascading Errors using
Constraints in Dependency Parsing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np

from ..errors.classes import ErrorClasses
from ..errors.classify import classify
from ..errors.count import find_errors
from ..reading.fields import Ints, Mask, indices
from ..reading.source import Source
from ..reading.treebank import Treebank
from ..scoring.score import compare
from .constraints import ALL, NONE, constrained_words, run_name
from .outputs import PLAIN, Output, read_outputs
from .projectivity import FREE, can_be_projective, is_projective
from .run_figures import RunFigures

Selection = Literal["every", "own"]
"""The sentences covered by every run of a class, or those covered by the run itself."""

_PUNCTUATION = "punct"


class Experiment:
    """The outputs of one system. `is_projective`: it declares that its trees have no crossing arcs."""

    def __init__(
        self,
        gold: Treebank,
        outputs: Mapping[str, Source],
        classes: ErrorClasses,
        *,
        is_projective: bool = True,
    ) -> None:
        self.gold, self.classes, self._is_projective = gold, classes, is_projective
        self._constrained = constrained_words(gold, classes)
        self._outputs = read_outputs(gold, outputs, self._constrained)
        self._class_of = classify(gold, classes)
        self._distance = find_errors(compare(gold, self._plain.treebank), classes).distance
        relations = gold.universal_relations
        self._is_punctuation = np.array([n == _PUNCTUATION for n in relations.names])[relations.codes]

    @property
    def runs(self) -> tuple[str, ...]:
        """The constrained runs that have an output: the classes in their order, then the controls."""
        names = (*(run_name(name) for name in self.classes.names), ALL, NONE)
        return tuple(name for name in names if name in self._outputs)

    @property
    def _plain(self) -> Output:
        return self._outputs[PLAIN]

    def covered(self, run: str) -> Mask:
        """The sentences in which a run keeps all its constraints."""
        return self._keeps(run, self._outputs[run])

    def covered_everywhere(self) -> Mask:
        """The sentences that every run of a class covers."""
        sentences = np.ones(self.gold.sentences, dtype=bool)
        for run in self.runs:
            if run not in (ALL, NONE):
                sentences &= self.covered(run)
        return sentences

    def impossible(self, run: str) -> Mask:
        """The uncovered sentences in which no projective tree keeps the constraints.

        None is impossible for a system that can build any tree.
        """
        result = np.zeros(self.gold.sentences, dtype=bool)
        if self._is_projective:
            for sentence in indices(~self.covered(run)).tolist():
                result[sentence] = not self._has_projective_tree(run, sentence)
        return result

    def rows(
        self, selection: Selection = "every", *, punctuation: bool = False, within: Mask | None = None
    ) -> list[RunFigures]:
        """A row per run. `within` restricts the sentences further, for example to those of another system."""
        everywhere = self.covered_everywhere()
        rows = []
        for run in self.runs:
            sentences = everywhere if selection == "every" else self.covered(run)
            rows.append(self._row(run, sentences if within is None else sentences & within, punctuation))
        return rows

    def failed_controls(self) -> list[str]:
        """What is wrong with the controls, in sentences; empty if they hold.

        With all arcs given, the covered sentences are by definition those that equal gold.
        """
        failures = []
        same = (
            self._outputs[NONE].treebank.layout.data.tobytes() == self._plain.treebank.layout.data.tobytes()
        )
        if not same:
            failures.append("The output with an empty file of constraints differs from the plain output.")
        kept_before = self._keeps(ALL, self._plain)
        repaired = self.covered(ALL) & ~kept_before
        if not kept_before.all() and not repaired.any():
            failures.append(
                "The system ignores constraints: with all arcs given, no further sentence is right."
            )
        return failures

    def _keeps(self, run: str, output: Output) -> Mask:
        return ~self._any_word(self._constrained[run] & ~output.same_arc)

    def _any_word(self, words: Mask) -> Mask:
        """The sentences that have at least one of these words."""
        return np.bincount(self.gold.sentence[words], minlength=self.gold.sentences) > 0

    def _has_projective_tree(self, run: str, sentence: int) -> bool:
        begin, end = self.gold.sentence_first_word[sentence : sentence + 2].tolist()
        heads = [parent - begin + 1 if parent >= 0 else 0 for parent in self.gold.parent[begin:end].tolist()]
        if is_projective(heads):
            return True
        mask = self._constrained[run][begin:end].tolist()
        return can_be_projective([head if own else FREE for head, own in zip(heads, mask, strict=True)])

    def _row(self, run: str, sentences: Mask, punctuation: bool) -> RunFigures:
        plain, output = self._plain, self._outputs[run]
        selected = sentences[self.gold.sentence]
        scored = selected if punctuation else selected & ~self._is_punctuation
        constrained = self._constrained[run]
        effective = selected & constrained & ~plain.right_head
        displaced = effective & (self._distance >= 0)
        other = selected & ~constrained
        return RunFigures(
            run=run,
            sentences=self.gold.sentences,
            covered=_count(self.covered(run)),
            impossible=_count(self.impossible(run)),
            selected=_count(sentences),
            constrained=_count(selected & constrained),
            effective=_count(effective),
            displaced=_count(displaced),
            distance=int(self._distance[displaced].sum()),
            words=_count(scored),
            plain_heads=_count(scored & plain.right_head),
            plain_arcs=_count(scored & plain.right_arc),
            heads=_count(scored & output.right_head),
            arcs=_count(scored & output.right_arc),
            constrained_gain=_gain(scored & constrained, plain, output),
            unconstrained_gain=_gain(scored & ~constrained, plain, output),
            repaired=self._by_class(other & ~plain.right_head & output.right_head),
            destroyed=self._by_class(other & plain.right_head & ~output.right_head),
        )

    def _by_class(self, words: Mask) -> dict[str, int]:
        counts: Ints = np.bincount(self._class_of[words], minlength=len(self.classes.names))
        return dict(zip(self.classes.names, counts.tolist(), strict=True))


def _count(mask: Mask) -> int:
    return int(np.count_nonzero(mask))


def _gain(words: Mask, plain: Output, output: Output) -> int:
    """How many more of these words have the right head than in the plain output."""
    return _count(words & output.right_head) - _count(words & plain.right_head)
