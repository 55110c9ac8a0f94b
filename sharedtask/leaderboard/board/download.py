"""A leaderboard as a file: CSV, LaTeX, Markdown as printed, or JSON, unrounded once gold is released.

In: a `Board`. Out: text with exactly the rows and columns of the page, in its order. Names come from
strangers; `evaluation.ranking.render` sees to it that they stay text in every format.
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
from sharedtask.leaderboard.board.build import Board
from sharedtask.leaderboard.board.columns import GROUP
from sharedtask.leaderboard.board.rows import Row
from sharedtask.leaderboard.board.words import caption
from sharedtask.standings.precision import document_as_printed


@dataclass(frozen=True, kw_only=True)
class Format:
    content_type: str
    write: Callable[[Board], str]


def csv_of(board: Board) -> str:
    """The ends of an interval have columns of their own: a spreadsheet counts with them."""
    return as_csv(table_of(board, ends_apart=True))


def latex_of(board: Board) -> str:
    return f"% {board.signature}\n{as_latex(table_of(board))}"


def markdown_of(board: Board) -> str:
    return f"{as_markdown(table_of(board))}\nSignature: `{board.signature}`\n"


def table_of(board: Board, *, ends_apart: bool = False) -> Table:
    systems = any(not row.entrant.is_primary for row in board.rows)
    incomplete = any(row.not_scored for row in board.rows)
    columns = [TableColumn("Rank"), text_column("Team"), *([text_column("System")] if systems else [])]
    columns.append(TableColumn(board.metric))
    columns += map(TableColumn, ["95 % low", "95 % high"] if ends_apart else ["95 % interval"])
    columns.append(TableColumn("Ranks"))
    columns += [TableColumn(f"{one.above} {one.head}".strip()) for one in board.columns[5:]]
    columns += [TableColumn("Files not scored")] if incomplete else []
    rows = []
    for row in board.rows:
        cells = [str(row.rank or NONE), said_of(row), *([row.entrant.system_name] if systems else [])]
        cells.append(row.score)
        cells += [row.low, row.high] if ends_apart else [f"{row.low}–{row.high}"]
        cells += [row.rank_range or NONE, *row.cells, *([str(row.not_scored)] if incomplete else [])]
        rows.append(tuple(cells))
    lines = frozenset(number for number, row in enumerate(board.rows) if row.line_below)
    return Table(f"{board.facts.slug}-{board.metric}", caption(board), tuple(columns), tuple(rows), lines)


def said_of(row: Row) -> str:
    """Its name, and what a reader has to know of it unless the name says so."""
    known = (("baseline", row.entrant.baseline), ("withdrawn", row.withdrawn))
    marks = [word for word, said in known if said and word not in row.name.casefold()]
    return f"{row.name} ({', '.join(marks)})" if marks else row.name


def json_of(board: Board) -> str:
    facts, standing = board.facts, board.standing
    told = {
        "task": facts.slug,
        "phase": facts.phase,
        "track": facts.track,
        "metric": board.metric,
        "scope": board.wishes.scope or "all",
        "test_sets": board.codes,
        "sort": board.wishes.sort or "rank",
        "signature": board.signature,
        "gold_versions": standing.table.get("gold", {}) if standing else {},
        "replicates": standing.table.get("replicates") if standing else None,
        "computed_at": standing.computed_at.isoformat() if standing else None,
        "published_at": facts.published_at.isoformat() if facts.published_at else None,
        "standing": f"/standings/{standing.public_id}.json" if standing else None,
        "systems": [system_of(board, row) for row in board.rows],
    }
    return json.dumps(told, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def system_of(board: Board, row: Row) -> Mapping[str, Any]:
    """Figures are fractions, as they were computed or as printed."""
    assert board.figures is not None
    figures, entrant = board.figures, row.entrant
    scope = figures.scopes.index(board.scope)

    def figure(metric: str, at: int = scope) -> dict[str, float | None]:
        where = row.index, at, figures.metrics.index(metric)
        values = {"f1": figures.f1[where], "low": figures.low[where], "high": figures.high[where]}
        told = {name: None if np.isnan(value) else float(value) for name, value in values.items()}
        return told if board.is_exact else document_as_printed(told)

    others = [one.id for one in board.columns if one.kind == "figure"]
    groups = [one.id.removeprefix(GROUP) for one in board.columns if one.kind == "group"]
    return {
        "rank": row.rank,
        "rank_range": row.ranks,
        "significantly_above_the_next": row.line_below,
        "team": entrant.name,
        "system": entrant.system_name,
        "run": entrant.run,
        "run_number": entrant.number,
        "baseline": entrant.baseline,
        "withdrawn": row.withdrawn,
        "files_not_scored": row.not_scored,
        "figures": {name: figure(name) for name in (board.metric, *others)},
        "groups": {name: figure(board.metric, figures.scopes.index(name)) for name in groups},
    }


FORMATS: Mapping[str, Format] = {
    "csv": Format(content_type="text/csv; charset=utf-8", write=csv_of),
    "json": Format(content_type="application/json", write=json_of),
    "tex": Format(content_type="application/x-tex; charset=utf-8", write=latex_of),
    "md": Format(content_type="text/markdown; charset=utf-8", write=markdown_of),
}
