"""The query parameters of the matrix; unknown values are replaced by defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evaluation.ranking.results import EVERYTHING
from sharedtask.leaderboard.matrix.cell_values import CellKind
from sharedtask.standings.standing_view import Entrant, StandingView

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


def parse_query(parameters: Mapping[str, str], view: StandingView) -> MatrixQuery:
    baselines = baselines_of(view)
    default_baseline = next(iter(baselines), None)
    kind = CellKind(parameters["show"]) if parameters.get("show") in list(CellKind) else CellKind.F1
    if kind is CellKind.BASELINE and not baselines:
        kind = CellKind.F1
    scope = view.scope_of(parameters.get("scope", ""))
    rows = parameters.get("sort", "")
    return MatrixQuery(
        metric=view.metric_of(parameters.get("metric", "")),
        scope=scope if view.codes_of(scope) else EVERYTHING,
        kind=kind,
        baseline=next(
            (entrant for entrant in baselines if entrant.id == parameters.get("baseline")), default_baseline
        ),
        columns=BY_DIFFICULTY if parameters.get("columns") == BY_DIFFICULTY else "",
        rows=rows if rows == BY_NAME or rows in view.test_sets else "",
    )


def baselines_of(view: StandingView) -> list[Entrant]:
    return [entrant for entrant in view.entrants if entrant.baseline]
