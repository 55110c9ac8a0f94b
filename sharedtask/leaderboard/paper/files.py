"""A table as a file for a paper or a spreadsheet."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from evaluation.ranking.render import as_csv, as_latex, as_markdown
from evaluation.ranking.tables.table import Table
from sharedtask.leaderboard.coverage import with_coverage
from sharedtask.standings.standing_view import StandingView


@dataclass(frozen=True, kw_only=True)
class TableFormat:
    label: str
    content_type: str
    write: Callable[[Table, StandingView], str]


def csv_of(table: Table, view: StandingView) -> str:
    return as_csv(with_coverage(table, view.coverage))


def latex_of(table: Table, view: StandingView) -> str:
    return f"% {view.signature()}\n{as_latex(table)}"


def markdown_of(table: Table, view: StandingView) -> str:
    return f"{as_markdown(table)}\nSignature: `{view.signature()}`\n"


TABLE_FORMATS: Mapping[str, TableFormat] = {
    "csv": TableFormat(label="CSV", content_type="text/csv; charset=utf-8", write=csv_of),
    "tex": TableFormat(label="LaTeX", content_type="application/x-tex; charset=utf-8", write=latex_of),
    "md": TableFormat(label="Markdown", content_type="text/markdown; charset=utf-8", write=markdown_of),
}
