"""The outputs of an experiment, compared with gold by `evaluation.cascades`.

In: complete parts. Out: why the controls fail, if they do; or the counts of each test set.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager

from evaluation.cascades.experiment import Experiment as Figures
from sharedtask.cascades.models import Experiment, ExperimentSet
from sharedtask.cascades.parts import Part
from sharedtask.cascades.prepare import read_gold
from sharedtask.core import storage


@contextmanager
def figures_of(experiment: Experiment, each: ExperimentSet, parts: Iterable[Part]) -> Iterator[Figures]:
    """On one test set. Raises InvalidExperiment, which names the run, if an output cannot be used."""
    with ExitStack() as copies:
        outputs = {
            part.run: copies.enter_context(storage.local_copy(output_name(part, each))) for part in parts
        }
        yield Figures(
            read_gold(each),
            outputs,
            experiment.error_classes,
            is_projective=experiment.version.image.is_projective,
        )


def output_name(part: Part, each: ExperimentSet) -> str:
    assert part.execution is not None
    return str(part.execution.outputs[each.test_set.code]["name"])


def failed_controls(
    experiment: Experiment, sets: Iterable[ExperimentSet], parts: Iterable[Part]
) -> list[str]:
    """In sentences, each with the test sets that it is about."""
    controls = [part for part in parts if part.is_control]
    codes: defaultdict[str, list[str]] = defaultdict(list)
    for each in sets:
        with figures_of(experiment, each, controls) as figures:
            for failure in figures.failed_controls():
                codes[failure].append(each.test_set.code)
    return [f"{', '.join(of_failure)}: {failure}" for failure, of_failure in codes.items()]


def record_counts(experiment: Experiment, sets: Iterable[ExperimentSet], parts: Iterable[Part]) -> None:
    for each in sets:
        with figures_of(experiment, each, parts) as figures:
            counts = figures.counts.to_bytes()
        ExperimentSet.objects.filter(pk=each.pk).update(counts=counts)
