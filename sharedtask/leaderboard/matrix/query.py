"""The query parameters of the matrix; unknown values are replaced by defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evaluation.ranking.results import EVERYTHING
from sharedtask.leaderboard.matrix.cell_values import CellKind
from sharedtask.standings.standing_view import Entrant, StandingView, scope_of

BY_NAME = "name"
BY_DIFFICULTY = "difficulty"


@dataclass(frozen=True, kw_only=True)
class MatrixQuery:
    metric: str
    scope: str
    kind: CellKind
    baseline: Entrant | None
    """The one that differences are from."""
    columns: str
    """Empty for groups and codes, or BY_DIFFICULTY."""
    rows: str
    """Empty for the ranking, BY_NAME, or the code of a test set."""


def parse_query(parameters: Mapping[str, str], field: StandingView) -> MatrixQuery:
    baselines = baselines_of(field)
    default_baseline = next(iter(baselines), None)
    kind = CellKind(parameters["show"]) if parameters.get("show") in list(CellKind) else CellKind.F1
    if kind is CellKind.BASELINE and not baselines:
        kind = CellKind.F1
    scope = scope_of(parameters.get("scope"), field.figures.scopes)
    rows = parameters.get("sort", "")
    return MatrixQuery(
        metric=field.metric_of(parameters.get("metric")),
        scope=scope if field.codes_of(scope) else EVERYTHING,
        kind=kind,
        baseline=next(
            (entrant for entrant in baselines if entrant.id == parameters.get("baseline")), default_baseline
        ),
        columns=BY_DIFFICULTY if parameters.get("columns") == BY_DIFFICULTY else "",
        rows=rows if rows == BY_NAME or rows in field.test_sets else "",
    )


def baselines_of(field: StandingView) -> list[Entrant]:
    return [entrant for entrant in field.entrants if entrant.baseline]
