"""The results of a campaign as tables, for its page, CSV and LaTeX.

In: `VisibleAnalysis` documents of `evaluation`. Out: tables with all details: agreement and preference with
intervals, competence, correlation of metrics with people, by length. `paper_tables` has others in the layout
of the paper.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.ranking.tables.table import NONE, Column, Table, text_column

AGREEMENT = {
    "raw": "Raw",
    "cohen": "Cohen's κ",
    "fleiss": "Fleiss' κ",
    "krippendorff": "Krippendorff's α",
}
COUNTED = ("judged", "skipped", "controls", "controls_failed", "repeats", "repeats_changed")
TITLES = {
    "agreement": "Agreement",
    "preference": "Preference",
    "competence": "Competence",
    "consistency": "Controls and repeated items",
    "metrics": "Metrics and people",
    "length": "By length",
    "items": "Aggregated choices by item",
}
"""Headings of the tables on the page, by their names."""


@dataclass(frozen=True, kw_only=True)
class VisibleAnalysis:
    """One pair of systems, on one test set or on all of them."""

    pair: int
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
            item_table(measured),
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
            number(metric["agreement_p"], 4),
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
        Column("p of ρ (paired)"),
        Column("p of ρ (Fisher)"),
        Column("p of agreement (paired)"),
    )
    caption = "Metrics and people: correlation, agreement, and p of the differences from the main metric"
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


def item_table(analyses: Sequence[VisibleAnalysis]) -> Table:
    """Only where the viewer may see single items: otherwise the documents have no choices."""
    rows = []
    for analysis in analyses:
        mace, majority = analysis.document["mace"], analysis.document["majority"]
        undetermined = set(mace.get("undetermined", ()))
        for item, choice in mace.get("choices", {}).items():
            rows.append(
                (
                    *analysis.label,
                    item,
                    analysis.name_of(choice),
                    number(mace["entropy"][item]),
                    "yes" if int(item) in undetermined else "no",
                    analysis.name_of(majority[item]) if majority[item] else "draw",
                )
            )
    columns = (
        *LABELS,
        Column("Item"),
        text_column("Choice"),
        Column("Entropy"),
        text_column("Undetermined"),
        text_column("Majority"),
    )
    return Table("items", "The choice that MACE infers for each item, and its entropy", columns, tuple(rows))


def consistency_table(rows: Sequence[Mapping[str, Any]]) -> Table:
    """How annotators did on control items and repeated items."""
    columns = (
        text_column("Annotator"),
        Column("Judged"),
        Column("Skipped"),
        Column("Controls"),
        Column("Failed"),
        Column("Repeated"),
        Column("Changed"),
        Column("Median seconds"),
    )
    cells = tuple(
        (
            row["annotator"],
            *(str(row[name]) for name in COUNTED),
            number(row["median_seconds"], 1),
        )
        for row in rows
    )
    caption = (
        "Control items, in which an annotator should prefer the intact tree, and items that were judged twice"
    )
    return Table("consistency", caption, columns, cells)
