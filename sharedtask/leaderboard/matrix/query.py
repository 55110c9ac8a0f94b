"""What a reader wants to see in the matrix, as the address has it; what is unknown is as if not said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evaluation.ranking.results import EVERYTHING
from sharedtask.leaderboard.matrix.cell_values import Shown
from sharedtask.standings.standing_view import Entrant, StandingView, scope_of

BY_NAME = "name"
BY_DIFFICULTY = "difficulty"


@dataclass(frozen=True, kw_only=True)
class Wishes:
    metric: str
    scope: str
    shown: Shown
    baseline: Entrant | None
    """Whom distances are measured from, where they are."""
    columns: str
    """Empty for groups and codes, or BY_DIFFICULTY."""
    rows: str
    """Empty for the ranking, BY_NAME, or the code of a test set."""


def wishes_of(asked: Mapping[str, str], field: StandingView) -> Wishes:
    figures = field.figures
    baselines = baselines_of(field)
    shown = Shown(asked["show"]) if asked.get("show") in list(Shown) else Shown.F1
    if shown is Shown.BASELINE and not baselines:
        shown = Shown.F1
    scope = scope_of(asked.get("scope"), figures.scopes)
    rows = asked.get("sort", "")
    return Wishes(
        metric=field.metric_of(asked.get("metric")),
        scope=scope if field.codes_of(scope) else EVERYTHING,
        shown=shown,
        baseline=next(
            (one for one in baselines if one.id == asked.get("baseline")), next(iter(baselines), None)
        ),
        columns=BY_DIFFICULTY if asked.get("columns") == BY_DIFFICULTY else "",
        rows=rows if rows == BY_NAME or rows in field.test_sets else "",
    )


def baselines_of(field: StandingView) -> list[Entrant]:
    return [one for one in field.entrants if one.baseline]
