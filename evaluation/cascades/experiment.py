"""What an experiment shows: how constraints on one class of words change the whole tree.

In: gold, the output of the plain run and those of the constrained runs. Out: for each run a row of integers.
A sentence is covered by a run if the output keeps all its constraints. Figures are over the sentences that
all runs of classes cover, or over those that the run itself covers.

The experiment and the classes are those of Ng and Curran (2015), Identifying Cascading Errors using
Constraints in Dependency Parsing.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from ..errors.classes import ErrorClasses
from ..errors.classify import classify
from ..errors.count import find_errors
from ..reading.fields import Ints, Mask, indices
from ..reading.source import Source
from ..reading.treebank import Treebank
from ..scoring.score import compare
from .constraints import ALL, NONE, constrained_words, run_name
from .counts import ExperimentCounts, Selection
from .outputs import PLAIN, Output, read_outputs
from .projectivity import FREE, can_be_projective, is_projective
from .run_figures import RunFigures

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
        return self.counts.covered_everywhere()

    def impossible(self, run: str) -> Mask:
        """The uncovered sentences in which no projective tree keeps the constraints.

        None is impossible for a system that can build any tree.
        """
        result = np.zeros(self.gold.sentences, dtype=bool)
        if self._is_projective:
            for sentence in indices(~self.covered(run)).tolist():
                result[sentence] = not self._has_projective_tree(run, sentence)
        return result

    @cached_property
    def counts(self) -> ExperimentCounts:
        """Everything that its figures are made of."""
        return ExperimentCounts(
            runs=list(self.runs),
            classes=list(self.classes.names),
            covered=np.array([self.covered(run) for run in self.runs]),
            impossible=np.array([self.impossible(run) for run in self.runs]),
            counts=np.array([self._count(run) for run in self.runs]),
        )

    def rows(
        self, selection: Selection = "every", *, punctuation: bool = False, within: Mask | None = None
    ) -> list[RunFigures]:
        """A row per run. `within` restricts the sentences further."""
        return self.counts.rows(selection, punctuation=punctuation, within=within)

    def failed_controls(self) -> list[str]:
        """What is wrong with the controls, in sentences; empty if they hold.

        With all arcs given, the covered sentences are by definition those that equal gold.
        """
        failures = []
        if self._outputs[NONE].sha256 != self._plain.sha256:
            failures.append("The output with an empty file of constraints differs from the plain output.")
        was_wrong = ~self._keeps(ALL, self._plain) & ~self.impossible(ALL)
        if was_wrong.any() and not self.covered(ALL)[was_wrong].any():
            failures.append(
                "The system ignores constraints: with all arcs given, no further sentence is correct."
            )
        return failures

    def _keeps(self, run: str, output: Output) -> Mask:
        broken = self._per_sentence(self._constrained[run] & ~output.same_arc)
        return np.equal(broken, 0)

    def _has_projective_tree(self, run: str, sentence: int) -> bool:
        begin, end = self.gold.sentence_first_word[sentence : sentence + 2].tolist()
        heads = [parent - begin + 1 if parent >= 0 else 0 for parent in self.gold.parent[begin:end].tolist()]
        if is_projective(heads):
            return True
        mask = self._constrained[run][begin:end].tolist()
        return can_be_projective([head if own else FREE for head, own in zip(heads, mask, strict=True)])

    def _count(self, run: str) -> Ints:
        """By sentence, in the order of the columns of `ExperimentCounts`."""
        output, constrained = self._outputs[run], self._constrained[run]
        effective = constrained & ~self._plain.right_head
        displaced = effective & (self._distance >= 0)
        columns = [self._per_sentence(words) for words in (constrained, effective, displaced)]
        columns.append(self._per_sentence(displaced, self._distance))
        for scored in (~self._is_punctuation, np.ones(self.gold.words, dtype=bool)):
            columns += [self._per_sentence(scored & words) for words in self._right(output, constrained)]
        repaired = ~constrained & ~self._plain.right_head & output.right_head
        destroyed = ~constrained & self._plain.right_head & ~output.right_head
        for words in (repaired, destroyed):
            columns += [
                self._per_sentence(words & (self._class_of == number))
                for number in range(len(self.classes.names))
            ]
        return np.array(columns).T

    def _right(self, output: Output, constrained: Mask) -> tuple[Mask, ...]:
        """The words of each count in SCORES, before punctuation is left out."""
        plain = self._plain
        return (
            np.ones(self.gold.words, dtype=bool),
            plain.right_head,
            plain.right_arc,
            output.right_head,
            output.right_arc,
            constrained & plain.right_head,
            constrained & output.right_head,
            ~constrained & plain.right_head,
            ~constrained & output.right_head,
        )

    def _per_sentence(self, words: Mask, values: Ints | None = None) -> Ints:
        """How many of these words each sentence has, or the sum of their values."""
        weights = None if values is None else values[words]
        counted = np.bincount(self.gold.sentence[words], weights, minlength=self.gold.sentences)
        return counted.astype(np.int64)
