"""The results of a campaign as tables, for its page, CSV and LaTeX.

In: `VisibleAnalysis` documents of `evaluation`. Out: tables like those of Plank et al. (2015): agreement,
correlation of metrics with people and with each other, by length, competence, what decided.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.ranking.tables.table import NONE, Column, Table, text_column

AGREEMENT = {
    "raw": "Raw",
    "cohen": "Cohen's κ",
    "fleiss": "Fleiss' κ",
    "krippendorff": "Krippendorff's α",
}


TITLES = {
    "agreement": "Agreement",
    "preference": "Preference",
    "competence": "Competence",
    "metrics": "Metrics and people",
    "length": "By length",
    "between-metrics": "Between metrics",
    "decided": "What decided",
}
"""Headings of the tables on the page, by their names."""


@dataclass(frozen=True, kw_only=True)
class VisibleAnalysis:
    """One pair of systems, on one test set or on all of them."""

    first: str
    second: str
    test_set: str
    """Its code, or `all`."""
    document: Mapping[str, Any]

    @property
    def label(self) -> tuple[str, str]:
        return f"{self.first} – {self.second}", self.test_set

    def name_of(self, choice: str) -> str:
        return {"first": self.first, "second": self.second}.get(choice, choice)


def result_tables(analyses: Sequence[VisibleAnalysis]) -> list[Table]:
    tables = [agreement_table(analyses), preference_table(analyses), competence_table(analyses)]
    measured = [analysis for analysis in analyses if analysis.document["metrics"]]
    if measured:
        tables += [
            metric_table(measured),
            length_table(measured),
            correlation_table(measured),
        ]
    return [table for table in tables if table.rows]


def number(value: float | None, digits: int = 3) -> str:
    return NONE if value is None else f"{value:.{digits}f}"


def with_interval(value: float | None, interval: Sequence[float] | None) -> str:
    if value is None or interval is None:
        return number(value)
    return f"{value:.3f} [{interval[0]:.3f}, {interval[1]:.3f}]"


LABELS = (text_column("Systems"), text_column("Test set"))


def agreement_table(analyses: Sequence[VisibleAnalysis]) -> Table:
    rows = [
        (
            *analysis.label,
            str(analysis.document["items"]),
            str(analysis.document["judgements"]),
            *(
                with_interval(
                    analysis.document["agreement"][key], analysis.document["agreement_intervals"][key]
                )
                for key in AGREEMENT
            ),
        )
        for analysis in analyses
    ]
    columns = (*LABELS, Column("Items"), Column("Judgements"), *map(Column, AGREEMENT.values()))
    caption = "Agreement between annotators, with 95% intervals by a bootstrap over items"
    return Table("agreement", caption, columns, tuple(rows))


def preference_table(analyses: Sequence[VisibleAnalysis]) -> Table:
    rows = []
    for analysis in analyses:
        document = analysis.document
        total = sum(document["preference"].values())
        for choice, items in document["preference"].items():
            share = with_interval(items / total, document["preference_intervals"][choice])
            rows.append((*analysis.label, analysis.name_of(choice), str(items), share))
    columns = (*LABELS, text_column("Preferred"), Column("Items"), Column("Share"))
    caption = "How often each system is preferred, by the choice that MACE infers per item"
    return Table("preference", caption, columns, tuple(rows))


def competence_table(analyses: Sequence[VisibleAnalysis]) -> Table:
    rows = [
        (*analysis.label, annotator, number(competence))
        for analysis in analyses
        for annotator, competence in analysis.document["mace"]["competence"].items()
    ]
    columns = (*LABELS, text_column("Annotator"), Column("Competence"))
    return Table("competence", "Competence of annotators, estimated by MACE", columns, tuple(rows))


def metric_table(analyses: Sequence[VisibleAnalysis]) -> Table:
    rows = [
        (
            *analysis.label,
            name,
            with_interval(metric["spearman"], metric["spearman_interval"]),
            with_interval(metric["agreement"], metric["agreement_interval"]),
            str(metric["ties"]),
            number(metric["paired_p"], 4),
            number(metric["fisher_p"], 4),
        )
        for analysis in analyses
        for name, metric in analysis.document["metrics"].items()
    ]
    columns = (
        *LABELS,
        text_column("Metric"),
        Column("Spearman's ρ"),
        Column("Agreement"),
        Column("Ties"),
        Column("p (paired)"),
        Column("p (Fisher)"),
    )
    caption = "Metrics and people: correlation, agreement, and p of the difference from the main metric"
    return Table("metrics", caption, columns, tuple(rows))


def length_table(analyses: Sequence[VisibleAnalysis]) -> Table:
    bins = list(next(iter(analyses[0].document["metrics"].values()))["by_length"])
    rows = [
        (*analysis.label, name, *(number(metric["by_length"].get(label)) for label in bins))
        for analysis in analyses
        for name, metric in analysis.document["metrics"].items()
    ]
    columns = (*LABELS, text_column("Metric"), *(Column(f"{label} words") for label in bins))
    return Table("length", "Spearman's ρ by the length of the sentence", columns, tuple(rows))


def correlation_table(analyses: Sequence[VisibleAnalysis]) -> Table:
    rows = tuple(correlation_rows(analyses))
    columns = (*LABELS, text_column("Metrics"), Column("Spearman's ρ"))
    return Table("between-metrics", "Correlation between metrics", columns, rows)


def correlation_rows(analyses: Sequence[VisibleAnalysis]) -> Iterator[tuple[str, ...]]:
    for analysis in analyses:
        for pair, value in analysis.document["between_metrics"].items():
            yield (*analysis.label, pair, number(value))


def decision_table(counts: Mapping[str, int], items: int) -> Table:
    """What decided where people contradict the main metric, as organisers tagged it."""
    rows = tuple((name, str(count), number(100 * count / items, 1)) for name, count in counts.items())
    columns = (text_column("Decided by"), Column("Items"), Column("% of tagged items"))
    return Table("decided", "What decided the items that contradict the main metric", columns, rows)
