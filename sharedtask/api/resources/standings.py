"""Standings: the leaderboard as records, in every cut of the page; and the matrix."""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import datetime
from typing import Annotated, Any, Literal

from django.http import Http404, HttpRequest
from django.urls import reverse
from ninja import Query, Router, Schema
from pydantic import Field

from sharedtask.api.results import RankingQuery, chosen_view, refuse_unknown
from sharedtask.api.viewing import absolute, visible_task, without_nul
from sharedtask.core import clock
from sharedtask.leaderboard.board.build import Board
from sharedtask.leaderboard.board.download import system_document
from sharedtask.leaderboard.board.query import HIDEABLE, BoardQuery
from sharedtask.leaderboard.board.rows import BoardRow
from sharedtask.leaderboard.matrix.build import Matrix, MatrixRow, build
from sharedtask.leaderboard.matrix.download import plain
from sharedtask.leaderboard.matrix.query import parse_query
from sharedtask.leaderboard.pages.leaderboard import board_for, with_precision
from sharedtask.leaderboard.pages.no_results import NoStandings
from sharedtask.standings.precision import NOTHING
from sharedtask.standings.query import MAX_LENGTH

router = Router()


class FigureOut(Schema):
    f1: float | None
    low: float | None
    high: float | None


class StandingRowOut(Schema):
    rank: int | None = Field(description="Null for withdrawn systems, and for baselines that are not ranked.")
    rank_low: int | None = Field(description="Best rank in the central 95% of the replicates.")
    rank_high: int | None
    team: str
    system: str
    system_id: str
    run: str = Field(description="Id of the run.")
    run_number: int
    baseline: bool
    withdrawn: bool
    score: float | None = Field(description="As on the page.")
    low: float | None = Field(description="Of the 95% interval.")
    high: float | None
    significantly_above_the_next: bool
    files_not_scored: int
    affiliation: str
    paper: str
    code: str
    figures: dict[str, FigureOut] = Field(
        description="By metric, as fractions: unrounded once gold is released."
    )
    groups: dict[str, FigureOut] = Field(description="By group, likewise.")


class StandingOut(Schema):
    task: str
    phase: str
    track: str = Field(description="Its code; empty in a task without tracks.")
    ranking: str
    metric: str
    group: str = Field(description="Empty for all test sets.")
    test_sets: list[str]
    signature: str = Field(description="Figures with equal signatures are comparable.")
    gold_versions: dict[str, int]
    computed_at: datetime | None
    published_at: datetime | None
    replicates: int | None
    document: str | None = Field(description="Address of the standing with all figures; it never changes.")
    url: str
    items: list[StandingRowOut]


class MatrixCellOut(Schema):
    status: str
    value: float | None


class MatrixRowOut(Schema):
    rank: int | None
    team: str
    system: str
    run: str
    cells: dict[str, MatrixCellOut] = Field(description="By code of the test set, as on the page.")


class MatrixOut(Schema):
    task: str
    phase: str
    track: str = Field(description="Its code; empty in a task without tracks.")
    ranking: str
    metric: str
    show: str
    test_sets: list[str]
    signature: str
    items: list[MatrixRowOut]


class MatrixChoice(RankingQuery):
    show: str = Field("", max_length=20, description="As on the page: what the cells show.")


class BoardChoice(RankingQuery):
    sort: str = Field("", max_length=MAX_LENGTH, description="A column of the page; descending with a minus.")
    q: str = Field("", max_length=MAX_LENGTH, description="A part of the name of a team or a system.")
    hide: list[Literal["baselines", "incomplete"]] = Field(
        [], max_length=len(HIDEABLE), description="Systems to leave out, as on the page."
    )
    preview: bool = Field(False, description="For organisers: what is in force instead of what is published.")

    def as_board_query(self) -> BoardQuery:
        chosen = replace(self.as_results_query(), sort=self.sort, preview=self.preview)
        return BoardQuery(**asdict(chosen), q=without_nul(self.q), hide=tuple(self.hide))


@router.get(
    "/tasks/{task}/standings",
    response=StandingOut,
    auth=None,
    url_name="cached-standings",
    summary="The leaderboard",
)
def show_standings(request: HttpRequest, task: str, query: Annotated[BoardChoice, Query()]) -> dict[str, Any]:
    at = clock.database_now()
    visible_task(request, task)
    try:
        board = board_for(request.user, task, query.as_board_query(), at=at)
        board = with_precision(request.user, board, at=at)
    except NoStandings:
        raise Http404("there are no results for this viewer") from None
    if board.view is None:
        raise Http404("nothing has been ranked yet")
    refuse_unknown(board.view, query)
    return standing_out(board)


def standing_out(board: Board) -> dict[str, Any]:
    facts, standing = board.facts, board.standing
    assert standing is not None
    return {
        "task": facts.task.slug,
        "phase": facts.phase.code,
        "track": facts.track,
        "ranking": facts.ranking,
        "metric": board.metric,
        "group": board.query.scope,
        "test_sets": board.codes,
        "signature": board.signature,
        "gold_versions": standing.table.get("gold", {}),
        "computed_at": standing.computed_at,
        "published_at": facts.results.published_at,
        "replicates": standing.table.get("replicates"),
        "document": absolute(reverse("standing", args=[standing.public_id])),
        "url": absolute(reverse("leaderboard", args=[facts.task.slug]) + board.query.query_string()),
        "items": [row_out(board, row) for row in board.rows],
    }


def row_out(board: Board, row: BoardRow) -> dict[str, Any]:
    document = dict(system_document(board, row))
    return document | {
        "rank_low": row.ranks[0] if row.ranks else None,
        "rank_high": row.ranks[1] if row.ranks else None,
        "system_id": row.entrant.run.system.public_id,
        "score": number(row.score),
        "low": number(row.low),
        "high": number(row.high),
    }


def number(text: str) -> float | None:
    return None if text in ("", NOTHING) else float(text)


@router.get(
    "/tasks/{task}/matrix",
    response=MatrixOut,
    auth=None,
    url_name="cached-matrix",
    summary="Systems and test sets",
)
def show_matrix(request: HttpRequest, task: str, query: Annotated[MatrixChoice, Query()]) -> dict[str, Any]:
    at = clock.database_now()
    row = visible_task(request, task)
    view = chosen_view(request, row, query, at=at)
    parameters = {"metric": query.metric, "scope": query.group, "show": query.show}
    matrix = build(view, parse_query(parameters, view), lambda *_: "", by_group=False)
    return {
        "task": row.slug,
        "phase": view.phase.code,
        "track": view.standing.track,
        "ranking": view.standing.ranking,
        "metric": matrix.query.metric,
        "show": str(matrix.query.kind),
        "test_sets": [test_set.code for test_set in matrix.columns],
        "signature": view.signature(matrix.query.metric, matrix.query.scope),
        "items": [matrix_row_out(matrix, each) for each in matrix.rows],
    }


def matrix_row_out(matrix: Matrix, row: MatrixRow) -> dict[str, Any]:
    return {
        "rank": row.rank or None,
        "team": row.entrant.team_name,
        "system": row.entrant.system_name,
        "run": row.entrant.id,
        "cells": {
            cell.test_set.code: {
                "status": cell.status,
                "value": number(plain(cell.text)) if cell.status == "valid" else None,
            }
            for cell in row.cells
        },
    }
