"""Gather several series of a phase for comparison, with one of them as the reference.

In: the series that a viewer may see, and query parameters. Out: `SeriesComparison`; None if there are fewer
than two series with curves. Unknown values are replaced by defaults.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluation.curves.analysis import Analysis
from evaluation.curves.average import AVERAGE
from evaluation.curves.classes import CRITERIA, DEFAULT
from evaluation.curves.comparison import comparison_tables
from evaluation.curves.partition import Partition, SeriesScore, compare_scores
from evaluation.curves.tallies import Tallies
from evaluation.ranking.tables.table import Table
from sharedtask.competition.models import Phase
from sharedtask.curves.visible import VisibleSeries


@dataclass(frozen=True, kw_only=True)
class SeriesComparison:
    phase: Phase
    phases: Sequence[Phase]
    """Those with at least two series."""
    series: Sequence[VisibleSeries]
    reference: VisibleSeries
    by: str
    test_set: str
    test_sets: Sequence[str]
    left_out: Sequence[str]
    """Names of series without curves for the test set, or without an average."""
    scores: Sequence[SeriesScore]
    """Under the partition of the reference."""
    tables: Sequence[Table]


def compare_series(
    visible: Sequence[VisibleSeries], parameters: Mapping[str, str]
) -> SeriesComparison | None:
    by = parameters.get("by", "")
    by = by if by in CRITERIA else DEFAULT
    usable = [series for series in visible if series.by(by)]
    phases = {series.row.phase.code: series.row.phase for series in usable}
    several = {
        code: phase
        for code, phase in phases.items()
        if sum(series.row.phase_id == phase.pk for series in usable) > 1
    }
    if not several:
        return None
    phase = several.get(parameters.get("phase", "")) or next(iter(several.values()))
    series = [each for each in usable if each.row.phase_id == phase.pk]
    named = {each.row.system.public_id: each for each in series}
    reference = named.get(parameters.get("reference", "")) or series[0]
    names = [each.name for each in reference.by(by)]
    chosen = parameters.get("set", "")
    test_set = chosen if chosen in names else AVERAGE if AVERAGE in names else names[0]
    scores, tables = tables_of(series, reference, by, test_set)
    return SeriesComparison(
        phase=phase,
        phases=list(several.values()),
        series=series,
        reference=reference,
        by=by,
        test_set=test_set,
        test_sets=names,
        left_out=[each.name for each in series if analysis_of(each, by, test_set) is None],
        scores=scores,
        tables=tables,
    )


def analysis_of(series: VisibleSeries, by: str, test_set: str) -> Analysis | None:
    """A series on a single test set has no other average; one with other sizes on each test set has none."""
    analyses = {analysis.name: analysis for analysis in series.by(by)}
    if test_set == AVERAGE and len(analyses) == 1:
        return next(iter(analyses.values()))
    return analyses.get(test_set)


def tables_of(
    series: Sequence[VisibleSeries], reference: VisibleSeries, by: str, test_set: str
) -> tuple[list[SeriesScore], list[Table]]:
    """The reference comes first. A series without the test set is left out."""
    ordered = [reference, *(each for each in series if each is not reference)]
    whole: dict[str, Analysis] = {}
    outputs: dict[str, Mapping[str, Tallies]] = {}
    for each in ordered:
        chosen = analysis_of(each, by, test_set)
        if chosen is None:
            continue
        whole[each.name] = chosen
        codes = {analysis.name for analysis in each.by(by)}
        outputs[each.name] = {
            code: tallies
            for code, tallies in each.tallies.items()
            if code in codes and test_set in (AVERAGE, code)
        }
    scores = compare_scores(outputs, reference.name, partition_of(reference, by))
    scope = "Average over test sets" if test_set == AVERAGE else test_set
    return scores, comparison_tables(scores, whole, reference.name, scope)


def partition_of(reference: VisibleSeries, by: str) -> Partition:
    analyses = [analysis for analysis in reference.by(by) if analysis.name != AVERAGE]
    return Partition(
        by=by,
        simple={analysis.name: analysis.simple for analysis in analyses},
        replicates=max(analysis.replicates for analysis in analyses),
        seed=analyses[0].seed,
    )
