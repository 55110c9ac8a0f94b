"""Two systems of a ranking compared, over a scope and on each test set."""

from __future__ import annotations

from typing import Annotated, Any

from django.http import Http404, HttpRequest
from ninja import Query, Router, Schema
from pydantic import Field

from sharedtask.api.results import RankingQuery, chosen_view, printed_number
from sharedtask.api.viewing import visible_task
from sharedtask.core import clock
from sharedtask.leaderboard.comparison.by_test_set import TestSetComparison, compare_by_test_set
from sharedtask.leaderboard.comparison.pairs import best_first, pairs, stored_pairs
from sharedtask.standings.standing_view import StandingView

router = Router()


class ComparisonQuery(RankingQuery):
    a: str = Field(max_length=32, description="Id of a run in the ranking.")
    b: str = Field(max_length=32)


class TestSetComparisonOut(Schema):
    __test__ = False  # Keeps pytest from collecting it as a test class.

    test_set: str
    a: float | None
    b: float | None
    difference: float | None = Field(description="a minus b.")
    low: float | None = Field(description="Of the 95% interval of the difference; main metrics only.")
    high: float | None
    p: float | None


class ComparisonOut(Schema):
    task: str
    phase: str
    ranking: str
    metric: str
    group: str
    signature: str
    a: str
    b: str
    better: str | None = Field(description="Id of the better run; null if they are equal as printed.")
    difference: float | None = Field(description="How much better it is.")
    p: float | None
    p_holm: float | None = Field(description="Corrected for all pairs of the ranking.")
    wins: int = Field(description="Test sets on which the better one is better.")
    ties: int
    losses: int
    not_compared: list[str] = Field(
        description="Test sets that one of them has no score for, where these do not count as 0."
    )
    items: list[TestSetComparisonOut]


@router.get(
    "/tasks/{task}/comparisons",
    response=ComparisonOut,
    auth=None,
    url_name="cached-comparisons",
    summary="Two systems compared",
)
def show_comparison(
    request: HttpRequest, task: str, query: Annotated[ComparisonQuery, Query()]
) -> dict[str, Any]:
    row = visible_task(request, task)
    view = chosen_view(request, row, query, at=clock.database_now(), having=(query.a, query.b))
    first, second = view.entrant(query.a), view.entrant(query.b)
    if first is None or second is None or first == second:
        raise Http404("there are no two such runs in a ranking for this viewer")
    metric, scope = view.metric_of(query.metric), view.scope_of(query.group)
    presentation = view.presentation(metric)
    systems = best_first(view, [first, second], metric, scope)
    stored = stored_pairs(view, systems, scope)
    (pair,) = pairs(view, systems, metric, scope, stored)
    compared = compare_by_test_set(view, [first, second], metric, scope, stored)
    return {
        "task": row.slug,
        "phase": view.phase.code,
        "ranking": view.standing.ranking,
        "metric": metric,
        "group": query.group,
        "signature": view.signature(metric, scope),
        "a": first.id,
        "b": second.id,
        "better": None if pair.tied else pair.higher.id,
        "difference": printed_number(pair.advantage, presentation),
        "p": pair.p,
        "p_holm": pair.p_holm,
        "wins": pair.wins,
        "ties": pair.ties,
        "losses": pair.losses,
        "not_compared": pair.not_compared,
        "items": [test_set_out(view, metric, each) for each in compared],
    }


def test_set_out(view: StandingView, metric: str, comparison: TestSetComparison) -> dict[str, Any]:
    presentation = view.presentation(metric)
    first, second = comparison.scores
    return {
        "test_set": comparison.test_set.code,
        "a": printed_number(first.f1, presentation),
        "b": printed_number(second.f1, presentation),
        "difference": printed_number(comparison.difference, presentation),
        "low": printed_number(comparison.low, presentation),
        "high": printed_number(comparison.high, presentation),
        "p": comparison.p,
    }
