"""The tables of an analysis: curves, classes, data-size equivalents, differences between systems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..ranking.tables.table import NONE, Column, Table, text_column
from .analysis import LEAST_WORDS, Analysis, ClassCurve, PartCurve, PlacedScore, PlacedSystem
from .intervals import Interval
from .measures import PARTS
from .placement import within
from .ranks import shared_ranks

CRITERION_TITLES = {
    "upos-direction": "UPOS and direction of the head (< before, > after the word or root)",
    "upos": "UPOS",
    "relation": "relation",
    "length": "distance to the head in words",
    "depth": "depth in the tree",
    "upos-direction-relation": "UPOS, direction of the head and relation",
}
_MARK = "*"
SCORE = "UAS"
"""The metric of all curves."""


def all_tables(analysis: Analysis) -> list[Table]:
    tables = [curve_table(analysis), class_table(analysis)]
    if analysis.systems:
        tables.append(system_table(analysis))
    if analysis.differences:
        tables.append(difference_table(analysis))
    return tables


def curve_table(analysis: Analysis) -> Table:
    """UAS by size over all, simple and complex classes."""
    samples = ["" if analysis.samples is None else str(n) for n in analysis.samples or analysis.sizes]
    columns = [Column("Sentences"), *([Column("Samples")] if analysis.samples else [])]
    for part in PARTS:
        columns += [Column(part.capitalize()), text_column("95% interval"), Column("± samples")]
    rows = [
        (
            str(size),
            *([samples[n]] if analysis.samples else []),
            *(cell for part in PARTS for cell in _part_cells(analysis.parts[part], n)),
        )
        for n, size in enumerate(analysis.sizes)
    ]
    caption = (
        f"{analysis.title}: UAS by size of the training data, over all words and over those of simple and "
        f"complex classes; {_intervals_caption(analysis)}. ±: standard deviation over samples"
        f"{', which are independent in different test sets' if analysis.treebanks else ''}."
    )
    return Table("curves", caption, tuple(columns), tuple(rows))


def class_table(analysis: Analysis) -> Table:
    """The classes in the order of their COMPLEXITY, with their ranks by it and by UAS."""
    ranked = [
        (name, curve, curve.complexity)
        for name, curve in analysis.classes.items()
        if curve.complexity is not None and curve.words >= LEAST_WORDS
    ]
    by_complexity = shared_ranks([value for _, _, value in ranked])
    by_uas = shared_ranks([-curve.uas[-1] for _, curve, _ in ranked])
    ranks = {
        name: (_rank(first), _rank(second))
        for (name, _, _), first, second in zip(ranked, by_complexity, by_uas, strict=True)
    }
    marked = set(analysis.marked)
    is_average = bool(analysis.treebanks)
    rows = [
        (
            name,
            f"{curve.words:,}",
            *(f"{uas:.1f}" for uas in curve.uas),
            NONE if curve.complexity is None else f"{curve.complexity:.1f}",
            interval_text(curve.interval),
            "simple" if curve.is_simple else "complex",
            *([f"{curve.simple_in} of {curve.treebanks}"] if is_average else []),
            *ranks.get(name, (NONE, NONE)),
            _MARK if name in marked else "",
        )
        for name, curve in sorted(analysis.classes.items(), key=_order)
    ]
    columns = (
        text_column("Class"),
        Column("Words"),
        *(Column(f"UAS {size}") for size in analysis.sizes),
        Column("COMPLEXITY"),
        text_column("95% interval"),
        text_column("Kind"),
        *([text_column("Simple in")] if is_average else []),
        Column("Rank"),
        Column("Rank by UAS"),
        text_column("Mark"),
    )
    return Table("classes", _class_caption(analysis), columns, tuple(rows))


def _class_caption(analysis: Analysis) -> str:
    rho = "undefined" if analysis.rho is None else f"{analysis.rho:.3f}"
    return (
        f"{analysis.title}: classes by {CRITERION_TITLES[analysis.by]}, UAS by size, and COMPLEXITY, "
        f"simplest first. Ranks are among classes with at least {LEAST_WORDS} words; Spearman's ρ between "
        f"COMPLEXITY and UAS at {analysis.sizes[-1]} sentences: {rho}. {_MARK}: both ranks differ most."
    )


def system_table(analysis: Analysis) -> Table:
    """What each system is worth in sentences."""
    columns = [text_column("System")]
    for part in PARTS:
        columns += [Column(f"{part.capitalize()} UAS"), Column("sentences"), text_column("95% interval")]
    is_average = bool(analysis.treebanks)
    columns += [text_column("Test sets")] if is_average else []
    rows = tuple(
        (
            name,
            *(cell for part in PARTS for cell in score_cells(system.parts[part], analysis.sizes)),
            *([_test_sets(system, analysis)] if is_average else []),
        )
        for name, system in analysis.systems.items()
    )
    caption = (
        f"{analysis.title}: UAS of systems, and the number of training sentences with which the series "
        "reaches it. ?: the curve is not monotone there, so that other sizes reach the score as well."
    )
    return Table("equivalents", caption, tuple(columns), rows)


def _test_sets(system: PlacedSystem, analysis: Analysis) -> str:
    return "all" if system.treebanks == analysis.treebanks else ", ".join(system.treebanks)


def difference_table(analysis: Analysis) -> Table:
    """UAS of one system minus that of another."""
    columns = [text_column("System"), text_column("minus")]
    for part in PARTS:
        columns += [Column(part.capitalize()), text_column("95% interval")]
    rows = tuple(
        (
            difference.first,
            difference.second,
            *(cell for part in PARTS for cell in difference_cells(difference.parts[part])),
        )
        for difference in analysis.differences
    )
    caption = (
        f"{analysis.title}: differences in UAS between systems, over all words and those of simple and "
        "complex classes."
    )
    return Table("differences", caption, tuple(columns), rows)


def summary(name: str, system: PlacedSystem, reference: str, sizes: Sequence[int]) -> str:
    """One line: `66.1 UAS: what Beam reaches with 32 sentences (simple 14, complex 60)`."""
    overall = system.parts["overall"]
    if overall is None:
        return f"{name} has no score on the curve of {reference}."
    others = [
        f"{part} {score.placement.describe(sizes)}{_doubt(score)}"
        for part in PARTS[1:]
        if (score := system.parts[part]) is not None
    ]
    bracket = f" ({', '.join(others)})" if others else ""
    is_monotone = all(score.placement.is_monotone for score in system.parts.values() if score)
    return (
        f"{overall.placement.uas:.1f} UAS: {_reached(overall, reference, sizes)}{bracket}"
        f"{'' if is_monotone else '; ?: the curve is not monotone there'}"
    )


def _reached(score: PlacedScore, reference: str, sizes: Sequence[int]) -> str:
    sentences = score.placement.bounded(sizes)
    if isinstance(sentences, float):
        return f"what {reference} reaches with {sentences:.0f}{_doubt(score)} sentences"
    if sentences.startswith("<"):
        return f"what {reference} reaches with fewer than {sentences[1:]}{_doubt(score)} sentences"
    return f"what {reference} would need more than {sentences[1:]}{_doubt(score)} sentences for"


def _doubt(score: PlacedScore) -> str:
    """Other sizes reach the score as well."""
    return "" if score.placement.is_monotone else "?"


def _intervals_caption(analysis: Analysis) -> str:
    if not analysis.replicates:
        return "no intervals"
    return f"95% intervals from {analysis.replicates:,} bootstrap replicates over sentences"


def _order(item: tuple[str, ClassCurve]) -> tuple[bool, float, str]:
    name, curve = item
    return curve.complexity is None, curve.complexity or 0.0, name


def _part_cells(curve: PartCurve | None, size: int) -> Iterator[str]:
    yield NONE if curve is None else f"{curve.uas[size]:.2f}"
    yield NONE if curve is None else interval_text(curve.intervals[size])
    spread = curve.spread[size] if curve else None
    yield NONE if spread is None else f"{spread:.2f}"


def score_cells(score: PlacedScore | None, sizes: Sequence[int]) -> tuple[str, str, str]:
    if score is None:
        return NONE, NONE, NONE
    ends = score.sentences_interval
    interval = NONE if ends is None else "–".join(_end(end, sizes) for end in ends)
    return f"{score.placement.uas:.2f}", score.placement.describe(sizes, 1) + _doubt(score), interval


def _end(end: float, sizes: Sequence[int]) -> str:
    bounded = within(end, sizes)
    return bounded if isinstance(bounded, str) else f"{bounded:.1f}"


def difference_cells(value: tuple[float, Interval | None] | None) -> tuple[str, str]:
    return (NONE, NONE) if value is None else (f"{value[0]:+.2f}", interval_text(value[1]))


def interval_text(interval: Interval | None) -> str:
    return NONE if interval is None else f"[{interval[0]:.1f}, {interval[1]:.1f}]"


def _rank(rank: float) -> str:
    return f"{rank:.0f}" if rank == int(rank) else f"{rank:.1f}"
