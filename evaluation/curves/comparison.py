"""Tables that compare several series, as those of Aufrant et al. (2018).

In: the scores of each series under the partition of the reference, and their analyses by the same criterion.
Out: Table 2 (scores by size over simple and complex classes, and differences from the reference), Table 1
(COMPLEXITY and UAS of classes) and Figure 3 (what other systems are worth on each curve).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..ranking.tables.table import NONE, Column, Table, text_column
from .analysis import LEAST_WORDS, Analysis
from .measures import PARTS
from .partition import PartScore, SeriesScore
from .tables import SCORE, difference_cells, interval_text, score_cells

ORDER = PARTS[1], PARTS[0], PARTS[2]
"""As in the paper: the score of all words is between the others."""


def comparison_tables(
    scores: Sequence[SeriesScore], whole: Mapping[str, Analysis], reference: str, scope: str
) -> list[Table]:
    """`whole` are the analyses to be shown: of the test set, or averages; the reference comes first."""
    tables = [score_table(scores, whole[reference], reference, scope)]
    if any(score.series != reference for score in scores):
        tables.append(difference_table(scores, reference, scope))
    of_sets = describe_test_sets(scores)
    tables.append(class_table(whole, scope, of_sets))
    systems = sorted({name for analysis in whole.values() for name in analysis.systems})
    return [*tables, equivalent_table(whole, systems, scope, of_sets)] if systems else tables


def score_table(scores: Sequence[SeriesScore], analysis: Analysis, reference: str, scope: str) -> Table:
    """Table 2."""
    columns = [text_column("Series"), Column("Sentences")]
    for part in ORDER:
        columns += [Column(part.capitalize()), text_column("95% interval"), Column("± samples")]
    rows = tuple(
        (score.series, str(score.size), *(cell for part in ORDER for cell in part_cells(score.parts[part])))
        for score in scores
    )
    intervals = (
        f"95% intervals from {analysis.replicates:,} bootstrap replicates over sentences"
        if analysis.replicates
        else "no intervals: a test set is too small"
    )
    caption = (
        f"{scope}: {SCORE} of each series by size of the training data, over simple classes, all words, and "
        f"complex classes. The partition is that of {reference}; {intervals}. ±: standard deviation over "
        f"samples, which are independent in different test sets.{describe_test_sets(scores)}"
    )
    return Table("scores", caption, tuple(columns), rows)


def describe_test_sets(scores: Sequence[SeriesScore]) -> str:
    """Averages over different test sets cannot be compared, so they are named."""
    every = {code for score in scores for code in score.test_sets}
    fewer = {score.series: score.test_sets for score in scores if set(score.test_sets) != every}
    return "".join(f" {name} has only {', '.join(codes)}." for name, codes in fewer.items())


def difference_table(scores: Sequence[SeriesScore], reference: str, scope: str) -> Table:
    columns = [text_column("Series"), Column("Sentences")]
    for part in ORDER:
        columns += [Column(part.capitalize()), text_column("95% interval")]
    rows = tuple(
        (
            score.series,
            str(score.size),
            *(cell for part in ORDER for cell in difference_cells(difference_of(score.parts[part]))),
        )
        for score in scores
        if score.series != reference and any(map(difference_of, score.parts.values()))
    )
    caption = (
        f"{scope}: {SCORE} of each series minus that of {reference} with the same number of sentences. "
        "Intervals are paired: both series are scored on the same drawn sentences."
    )
    return Table("differences", caption, tuple(columns), rows)


def difference_of(score: PartScore | None) -> tuple[float, tuple[float, float] | None] | None:
    return None if score is None else score.difference


def part_cells(score: PartScore | None) -> tuple[str, str, str]:
    if score is None:
        return NONE, NONE, NONE
    return f"{score.uas:.2f}", interval_text(score.interval), figure(score.spread, 2)


def class_table(whole: Mapping[str, Analysis], scope: str, of_sets: str) -> Table:
    """Table 1: classes with enough words, in the order of their COMPLEXITY in the first series."""
    first = next(iter(whole.values()))
    names = [name for name, curve in first.classes.items() if curve.words >= LEAST_WORDS]
    names.sort(key=lambda name: (first.classes[name].complexity is None, first.classes[name].complexity or 0))
    columns = [text_column("Class")]
    for name in whole:
        columns += [Column(f"COMPLEXITY, {name}"), text_column("95% interval"), Column(f"{SCORE}, {name}")]
    rows = tuple(
        (name, *(cell for analysis in whole.values() for cell in class_cells(analysis, name)))
        for name in names
    )
    rhos = "; ".join(f"{name} {figure(analysis.rho, 3)}" for name, analysis in whole.items())
    caption = (
        f"{scope}: COMPLEXITY of classes with at least {LEAST_WORDS} words, and their {SCORE} at the largest "
        f"size of each series. Spearman's ρ between both: {rhos}. *: both ranks differ most."
        f"{describe_ranges(whole)}{of_sets}"
    )
    return Table("ranks", caption, tuple(columns), rows)


def describe_ranges(whole: Mapping[str, Analysis]) -> str:
    """COMPLEXITY depends on the smallest and the largest size, as footnote 11 of the paper says."""
    ranges = {name: f"{analysis.sizes[0]}–{analysis.sizes[-1]}" for name, analysis in whole.items()}
    if len(set(ranges.values())) < 2:
        return ""
    listed = "; ".join(f"{name} {sizes}" for name, sizes in ranges.items())
    return f" COMPLEXITY cannot be compared between series with other ranges of sizes: {listed}."


def class_cells(analysis: Analysis, name: str) -> tuple[str, str, str]:
    curve = analysis.classes.get(name)
    if curve is None:
        return NONE, NONE, NONE
    mark = "*" if name in analysis.marked else ""
    return figure(curve.complexity, 1) + mark, interval_text(curve.interval), f"{curve.uas[-1]:.1f}"


def equivalent_table(
    whole: Mapping[str, Analysis], systems: Sequence[str], scope: str, of_sets: str
) -> Table:
    """Figure 3: one row per system and series, each with the partition of that series."""
    rows = tuple(
        (
            system,
            name,
            *(
                cell
                for part in ORDER
                for cell in score_cells(analysis.systems[system].parts[part], analysis.sizes)
            ),
        )
        for system in systems
        for name, analysis in whole.items()
        if system in analysis.systems
    )
    columns = [text_column("System"), text_column("Series")]
    for part in ORDER:
        columns += [Column(f"{part.capitalize()} {SCORE}"), Column("sentences"), text_column("95% interval")]
    caption = (
        f"{scope}: {SCORE} of systems, and the number of training sentences with which each series reaches "
        f"it; the partition is that of the series. ?: the curve is not monotone there.{of_sets}"
    )
    return Table("equivalents", caption, tuple(columns), rows)


def figure(value: float | None, digits: int) -> str:
    return NONE if value is None else f"{value:.{digits}f}"
