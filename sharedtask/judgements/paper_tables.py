"""The results of a campaign in the layout of Tables 1 to 7 of Plank et al. (2015), for page, CSV and LaTeX.

In: `VisibleAnalysis` documents and the items on which people contradict the main metric. Out: tables. A table
about metrics is left out while gold is not released.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.judgements.measures import OVER_CONTENT_WORDS, OVER_FUNCTION_WORDS
from evaluation.ranking.tables.table import NONE, Column, Table, text_column
from sharedtask.judgements.tables import LABELS, VisibleAnalysis, number

ALL = "all"
SIGNIFICANT = 0.05
ATTACHMENT, LABEL, ROOT = "attachment", "label", "root"
TITLES = {
    "table-1": "Table 1: data and agreement",
    "table-2": "Table 2: scores of the systems",
    "table-3": "Table 3: correlations between metrics",
    "table-4": "Table 4: correlations of metrics with people",
    "table-5": "Table 5: agreement of metrics with people",
    "table-6": "Table 6: content and function words",
    "table-7": "Table 7: what decided",
}


@dataclass(frozen=True, kw_only=True)
class Decision:
    """An item on which people contradict the main metric, and what decided it according to organisers."""

    systems: str
    test_set: str
    tags: Sequence[str]


def paper_tables(
    analyses: Sequence[VisibleAnalysis], scope: str, decisions: Sequence[Decision]
) -> list[Table]:
    """Table 3 is of one scope, a test set or `all`; the others have a row or column for each."""
    measured = [analysis for analysis in analyses if analysis.document["metrics"]]
    tables = [data_table(analyses)]
    if measured:
        tables += [
            score_table(measured),
            between_table([analysis for analysis in measured if analysis.test_set == scope]),
            correlation_table(measured),
            agreement_table(measured),
            word_table(measured),
            decision_table(decisions),
        ]
    return [table for table in tables if table.rows]


def metrics_of(analyses: Iterable[VisibleAnalysis], part: str = "metrics") -> list[str]:
    return list(dict.fromkeys(name for analysis in analyses for name in analysis.document[part]))


def data_table(analyses: Sequence[VisibleAnalysis]) -> Table:
    columns = (
        *LABELS,
        Column("Items"),
        Column("Mean length"),
        Column("Mean depth"),
        Column("Judgements per item"),
        Column("Raw"),
        Column("κ"),
    )
    rows = []
    for analysis in analyses:
        document = analysis.document
        sentences, agreement = document["sentences"], document["agreement"]
        fewest, most = sentences["judgements_per_item"]
        rows.append(
            (
                *analysis.label,
                str(document["items"]),
                number(sentences["mean_length"], 1),
                number(sentences["mean_depth"], 1),
                str(most) if fewest == most else f"{fewest}–{most}",
                number(agreement["raw"], 2),
                number(agreement["cohen"], 2),
            )
        )
    caption = "Judged sentences, their length in words, the depth of gold trees, and agreement of annotators"
    return Table("table-1", caption, columns, tuple(rows))


def score_table(analyses: Sequence[VisibleAnalysis]) -> Table:
    names = metrics_of(analyses, "performance")
    rows = []
    for analysis in analyses:
        performance = analysis.document["performance"]
        for choice in ("first", "second"):
            scores = (number(percent(performance.get(name, {}).get(choice)), 2) for name in names)
            rows.append((*analysis.label, analysis.name_of(choice), *scores))
    columns = (*LABELS, text_column("System"), *map(Column, names))
    return Table("table-2", "Scores of the systems on the judged sentences, in percent", columns, tuple(rows))


def percent(value: float | None) -> float | None:
    return None if value is None else 100 * value


def between_table(analyses: Sequence[VisibleAnalysis]) -> Table:
    names = metrics_of(analyses)
    rows = []
    for analysis in analyses:
        values: Mapping[str, float | None] = analysis.document["between_metrics"]
        for place, left in enumerate(names[:-1]):
            cells = (
                number(values.get(f"{left} {right}")) if column > place else NONE
                for column, right in enumerate(names[1:], start=1)
            )
            rows.append((*analysis.label, left, *cells))
    columns = (*LABELS, text_column("Metric"), *map(Column, names[1:]))
    return Table("table-3", "Spearman's ρ between metrics", columns, tuple(rows))


def correlation_table(analyses: Sequence[VisibleAnalysis]) -> Table:
    scopes = sorted({analysis.test_set for analysis in analyses} - {ALL}) + [ALL]
    by_pair: dict[str, dict[str, Mapping[str, Any]]] = {}
    for analysis in analyses:
        by_pair.setdefault(analysis.label[0], {})[analysis.test_set] = analysis.document["metrics"]
    rows = tuple(
        (systems, name, *(correlation(documents.get(scope, {}).get(name)) for scope in scopes))
        for systems, documents in by_pair.items()
        for name in metrics_of(analyses)
    )
    columns = (LABELS[0], text_column("Metric"), *map(Column, scopes))
    caption = (
        "Spearman's ρ of metrics with the aggregated choices. Different from the main metric at p < 0.05: "
        "* by Fisher's z, † by the paired bootstrap over items"
    )
    return Table("table-4", caption, columns, rows)


def correlation(metric: Mapping[str, Any] | None) -> str:
    if metric is None or metric["spearman"] is None:
        return NONE
    marks = "".join(
        mark
        for mark, p in (("*", metric["fisher_p"]), ("†", metric["paired_p"]))
        if p is not None and p < SIGNIFICANT
    )
    return f"{number(metric['spearman'])}{marks}"


def agreement_table(analyses: Sequence[VisibleAnalysis]) -> Table:
    names = metrics_of(analyses)
    rows = tuple(
        (
            *analysis.label,
            number(analysis.document["agreement"]["raw"]),
            *(number(analysis.document["metrics"].get(name, {}).get("agreement")) for name in names),
        )
        for analysis in analyses
    )
    columns = (*LABELS, Column("Annotators"), *map(Column, names))
    caption = "Mean agreement between annotators, and between annotators and metrics, where ties count half"
    return Table("table-5", caption, columns, rows)


def word_table(analyses: Sequence[VisibleAnalysis]) -> Table:
    rows = tuple(
        (
            *analysis.label,
            *(
                number(analysis.document["metrics"][name]["spearman"])
                for name in (OVER_CONTENT_WORDS, OVER_FUNCTION_WORDS)
            ),
        )
        for analysis in analyses
    )
    columns = (*LABELS, Column("Content words"), Column("Function words"))
    caption = "Spearman's ρ with people of labelled attachment over content words and over function words"
    return Table("table-6", caption, columns, rows)


def decision_table(decisions: Sequence[Decision]) -> Table:
    """An item whose root decided counts as attachment too."""
    columns = (
        *LABELS,
        Column("Attachment %"),
        Column("Label %"),
        Column("Root, % of attachment"),
        Column("Items"),
        Column("Not tagged yet"),
    )
    sets_of: dict[str, list[str]] = {}
    for decision in decisions:
        sets_of.setdefault(decision.systems, []).append(decision.test_set)
    rows = []
    for systems, test_sets in sets_of.items():
        codes = list(dict.fromkeys(test_sets))
        scopes = [*codes, ALL] if len(codes) > 1 else codes
        rows += [decision_row(decisions, systems, scope) for scope in scopes]
    caption = "What decided where 75% of the annotators contradict the main metric, as organisers tagged it"
    return Table("table-7", caption, columns, tuple(rows))


def decision_row(decisions: Sequence[Decision], systems: str, test_set: str) -> tuple[str, ...]:
    own = [d for d in decisions if d.systems == systems and test_set in (ALL, d.test_set)]
    tagged = [set(decision.tags) for decision in own if decision.tags]
    attachment = sum(bool(tags & {ATTACHMENT, ROOT}) for tags in tagged)
    return (
        systems,
        test_set,
        share(attachment, len(tagged)),
        share(sum(LABEL in tags for tags in tagged), len(tagged)),
        share(sum(ROOT in tags for tags in tagged), attachment),
        str(len(own)),
        str(len(own) - len(tagged)),
    )


def share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f}" if whole else NONE
