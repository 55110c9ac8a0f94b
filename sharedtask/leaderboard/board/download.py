"""A leaderboard as a file: CSV, LaTeX, Markdown as printed, or JSON, unrounded once gold is released.

In: a `Board`. Out: text with exactly the rows and columns of the page, in the same order. Names are written
by users; `evaluation.ranking.render` escapes them for every format.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from evaluation.ranking.render import as_csv, as_latex, as_markdown
from evaluation.ranking.tables.table import NONE, Table, text_column
from evaluation.ranking.tables.table import Column as TableColumn
from sharedtask.competition.models import Task
from sharedtask.leaderboard.board.build import Board
from sharedtask.leaderboard.board.captions import caption
from sharedtask.leaderboard.board.columns import GROUP
from sharedtask.leaderboard.board.rows import BoardRow
from sharedtask.leaderboard.coverage import with_coverage
from sharedtask.standings.precision import as_printed


@dataclass(frozen=True, kw_only=True)
class Format:
    content_type: str
    write: Callable[[Board], str]


def csv_of(board: Board) -> str:
    """The ends of an interval have columns of their own, as numbers for a spreadsheet."""
    return as_csv(with_coverage(table_of(board, split_intervals=True), board.coverage))


def latex_of(board: Board) -> str:
    return f"% {board.signature}\n{as_latex(table_of(board))}"


def markdown_of(board: Board) -> str:
    return f"{as_markdown(table_of(board))}\nSignature: `{board.signature}`\n"


def table_of(board: Board, *, split_intervals: bool = False) -> Table:
    has_systems = any(not row.entrant.is_primary for row in board.rows)
    has_incomplete = any(row.not_scored for row in board.rows)
    columns = [TableColumn("Rank"), text_column("Team"), *([text_column("System")] if has_systems else [])]
    columns.append(TableColumn(board.metric))
    columns += map(TableColumn, ["95% low", "95% high"] if split_intervals else ["95% interval"])
    columns.append(TableColumn("Ranks"))
    columns += [TableColumn(f"{column.above} {column.head}".strip()) for column in board.columns[5:]]
    excludes = excludes_missing(board)
    if has_incomplete:
        consequence = board.missing_policy.consequence
        columns.append(TableColumn("Over test sets" if excludes else f"Files not scored ({consequence})"))
    rows = []
    for row in board.rows:
        cells = [
            str(row.rank or NONE),
            team_with_marks(row),
            *([row.entrant.system_name] if has_systems else []),
        ]
        cells.append(row.score)
        cells += [row.low, row.high] if split_intervals else [f"{row.low}–{row.high}"]
        cells += [row.rank_range or NONE, *row.cells]
        if has_incomplete:
            cells.append(row.coverage if excludes else str(row.not_scored))
        rows.append(tuple(cells))
    lines = frozenset(number for number, row in enumerate(board.rows) if row.line_below)
    return Table(
        f"{board.facts.task.slug}-{board.metric}", caption(board), tuple(columns), tuple(rows), lines
    )


def excludes_missing(board: Board) -> bool:
    return board.missing_policy == Task.MissingPolicy.EXCLUDE


def team_with_marks(row: BoardRow) -> str:
    """`Ash (withdrawn)`; without a mark that is part of the name."""
    properties = (("baseline", row.entrant.baseline), ("withdrawn", row.withdrawn))
    name = row.entrant.team_name
    marks = [word for word, applies in properties if applies and word not in name.casefold()]
    return f"{name} ({', '.join(marks)})" if marks else name


def json_of(board: Board) -> str:
    facts, standing, published_at = board.facts, board.standing, board.facts.results.published_at
    document = {
        "task": facts.task.slug,
        "phase": facts.phase.code,
        **({"track": facts.track} if facts.track else {}),
        "ranking": facts.ranking,
        "metric": board.metric,
        "scope": board.query.scope or "all",
        "test_sets": board.codes,
        "test_sets_total": facts.task.test_sets_total,
        "sort": board.query.sort or "rank",
        "signature": board.signature,
        "gold_versions": standing.table.get("gold", {}) if standing else {},
        "files_not_scored_are": board.missing_policy.consequence,
        "replicates": standing.table.get("replicates") if standing else None,
        "computed_at": standing.computed_at.isoformat() if standing else None,
        "published_at": published_at.isoformat() if published_at else None,
        "standing": f"/standings/{standing.public_id}.json" if standing else None,
        "systems": [system_document(board, row) for row in board.rows],
    }
    return json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def system_document(board: Board, row: BoardRow) -> Mapping[str, Any]:
    """Figures are fractions, unrounded or as printed."""
    assert board.view is not None
    view, figures, entrant = board.view, board.view.figures, row.entrant

    def figure(metric: str, scope: str) -> dict[str, float | None]:
        cell = entrant.index, view.scope_index(scope), view.metric_index(metric)
        values = {"f1": figures.f1[cell], "low": figures.low[cell], "high": figures.high[cell]}
        known = {name: None if np.isnan(value) else float(value) for name, value in values.items()}
        return {name: precise(value, metric) for name, value in known.items()}

    def precise(value: float | None, metric: str) -> float | None:
        return value if value is None or board.is_exact else as_printed(value, view.presentation(metric))

    others = [column.id for column in board.columns if column.kind == "figure"]
    groups = [column.id.removeprefix(GROUP) for column in board.columns if column.kind == "group"]
    return {
        "rank": row.rank,
        "rank_range": row.ranks,
        "significantly_above_the_next": row.line_below,
        "team": entrant.team_name,
        "system": entrant.system_name,
        "affiliation": entrant.affiliation,
        "paper": entrant.paper_url,
        "code": entrant.code_url,
        "run": entrant.id,
        "run_number": entrant.run.number,
        "baseline": entrant.baseline,
        "withdrawn": row.withdrawn,
        "files_not_scored": row.not_scored,
        "averaged_over": row.test_sets - (row.not_scored if excludes_missing(board) else 0),
        "figures": {name: figure(name, board.scope) for name in (board.metric, *others)},
        "groups": {name: figure(board.metric, name) for name in groups},
    }


FORMATS: Mapping[str, Format] = {
    "csv": Format(content_type="text/csv; charset=utf-8", write=csv_of),
    "json": Format(content_type="application/json", write=json_of),
    "tex": Format(content_type="application/x-tex; charset=utf-8", write=latex_of),
    "md": Format(content_type="text/markdown; charset=utf-8", write=markdown_of),
}
