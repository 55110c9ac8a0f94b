"""The effect of a correction on the corrected test sets themselves: figures and ranks of every system.

In: the inputs of a ranking with the old and the new gold. Out: a `SetComparison` for each test set whose gold
differs, with the systems that have no scored output for it. An average over many test sets hides all this.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf

from evaluation import Presentation
from sharedtask.competition.models import TestSet
from sharedtask.standings.averages import counts_of
from sharedtask.standings.entries import FileInput, Inputs
from sharedtask.standings.gold_fix.rows import RunComparison, SideFigures, compare_run, ranks
from sharedtask.submissions.average import figure_of
from sharedtask.submissions.models import Run, RunFile


@dataclass(frozen=True, kw_only=True)
class SetComparison:
    test_set: TestSet
    rows: tuple[RunComparison, ...]
    """The best by the new gold first."""
    invalid: tuple[Run, ...]
    missing: tuple[Run, ...]
    """Runs without an output for the test set."""


def compare_sets(
    metric: str, presentation: Presentation, before: Inputs, after: Inputs
) -> tuple[SetComparison, ...]:
    corrected = [
        test_set
        for test_set in after.test_sets
        if before.sha256_of_gold(test_set) != after.sha256_of_gold(test_set)
    ]
    counts = counts_of(before, metric) | counts_of(after, metric)
    return tuple(compare_set(test_set, presentation, before, after, counts) for test_set in corrected)


def compare_set(
    test_set: TestSet,
    presentation: Presentation,
    before: Inputs,
    after: Inputs,
    counts: Mapping[str, Mapping[str, int]],
) -> SetComparison:
    code = test_set.code
    old, new = side_on(before, code, counts, presentation), side_on(after, code, counts, presentation)
    runs = {entry.run.public_id: entry.run for entry in (*before.entries, *after.entries)}

    def sort_key(id: str) -> tuple[float, str]:
        figure = new.figures.get(id)
        return inf if figure is None else presentation.sort_key(figure), runs[id].team.name

    without = [entry for entry in after.entries if not has_score(entry.files.get(code))]
    return SetComparison(
        test_set=test_set,
        rows=tuple(
            compare_run(runs[id], old, new, presentation)
            for id in sorted(old.figures.keys() | new.figures.keys(), key=sort_key)
        ),
        invalid=tuple(entry.run for entry in without if is_invalid(entry.files.get(code))),
        missing=tuple(entry.run for entry in without if not is_invalid(entry.files.get(code))),
    )


def side_on(
    inputs: Inputs, code: str, counts: Mapping[str, Mapping[str, int]], presentation: Presentation
) -> SideFigures:
    """Ranks as on the page of the test set."""
    figures = figures_on(inputs, code, counts)
    return SideFigures(figures=figures, ranks=ranks(inputs, figures, presentation), intervals={})


def has_score(file: FileInput | None) -> bool:
    return file is not None and bool(file.score)


def is_invalid(file: FileInput | None) -> bool:
    return file is not None and file.state == RunFile.State.INVALID


def figures_on(inputs: Inputs, code: str, counts: Mapping[str, Mapping[str, int]]) -> dict[str, float]:
    figures = {}
    for entry in inputs.entries:
        file = entry.files.get(code)
        figure = figure_of(counts.get(file.score)) if file and file.score else None
        if figure is not None:
            figures[entry.run.public_id] = figure
    return figures
