"""Systems: those of a ranking, and one of them, as its page shows it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.http import Http404, HttpRequest
from django.urls import reverse
from ninja import Router, Schema
from pydantic import Field

from sharedtask.api.pagination import Page, Paging, page_of
from sharedtask.api.results import RankingChoiceQuery, chosen_view, printed_number
from sharedtask.api.viewing import absolute, visible_task, without_nul
from sharedtask.core import clock
from sharedtask.leaderboard.pages.systems import results_context
from sharedtask.leaderboard.paper.systems import SystemRow, systems_table
from sharedtask.leaderboard.system.query import SystemQuery
from sharedtask.leaderboard.system.runs import run_rows
from sharedtask.standings.standing_view import StandingView
from sharedtask.teams import team_access
from sharedtask.teams.models import System
from sharedtask.teams.questionnaire import answered_questions

router = Router()


class SystemOut(Schema):
    id: str
    name: str
    team: str
    run: str = Field(description="Id of the run in the ranking.")
    rank: int | None
    baseline: bool
    withdrawn: bool
    affiliation: str
    paper: str
    code: str
    answers: dict[str, str] = Field(description="Of the questionnaire, by question.")
    url: str


class SystemResultOut(Schema):
    test_set: str
    status: str
    rank: int | None
    score: float | None
    low: float | None
    high: float | None


class SystemRankingOut(Schema):
    phase: str
    ranking: str
    metric: str
    run: str
    signature: str
    by_test_set: list[SystemResultOut]


class SystemRunOut(Schema):
    id: str
    number: int
    phase: str
    received_at: datetime
    state: str


class SystemDetailsOut(Schema):
    id: str
    name: str
    team: str
    task: str
    is_primary: bool
    description: str | None = Field(description="Markdown; null if you may not see it yet.")
    paper: str | None
    code: str | None
    answers: dict[str, str]
    ranking: SystemRankingOut | None
    runs: list[SystemRunOut]
    url: str


@router.get(
    "/tasks/{task}/systems",
    response=Page[SystemOut],
    auth=None,
    url_name="cached-systems",
    summary="Systems of a ranking",
)
def list_systems(
    request: HttpRequest, task: str, query: RankingChoiceQuery, paging: Paging
) -> dict[str, Any]:
    row = visible_task(request, task)
    view = chosen_view(request, row, query, at=clock.database_now())
    rows = systems_table(view, view.metric_of(query.metric)).rows
    page = page_of(rows, paging, lambda each: each.entrant.id)
    return page | {"items": [system_out(view, each) for each in page["items"]]}


def system_out(view: StandingView, row: SystemRow) -> dict[str, Any]:
    entrant = row.entrant
    system = entrant.run.system
    return {
        "id": system.public_id,
        "name": entrant.system_name,
        "team": entrant.team_name,
        "run": entrant.id,
        "rank": row.rank or None,
        "baseline": entrant.baseline,
        "withdrawn": entrant.withdrawn,
        "affiliation": entrant.affiliation,
        "paper": entrant.paper_url,
        "code": entrant.code_url,
        "answers": row.answers,
        "url": absolute(reverse("system", args=[view.task.slug, system.public_id])),
    }


@router.get("/systems/{system}", response=SystemDetailsOut, auth=None, summary="A system")
def show_system(request: HttpRequest, system: str) -> dict[str, Any]:
    """It exists for readers who may see its description or its place in a ranking."""
    at = clock.database_now()
    row = System.objects.select_related("team__task").filter(public_id=without_nul(system)).first()
    if row is None:
        raise Http404("there is no such system")
    task = visible_task(request, row.team.task.slug)
    shows_description = team_access.may_see_description(request.user, row, at=at)
    results = results_context(request.user, SystemQuery(), row, at=at)
    if not shows_description and not results:
        raise Http404("this system is neither described nor ranked for this viewer")
    names = team_access.names(request.user, task, at=at)
    answers = answered_questions(row.questionnaire) if shows_description else []
    return {
        "id": row.public_id,
        "name": names.system(row, row.team),
        "team": names.team(row.team),
        "task": task.slug,
        "is_primary": row.is_primary,
        "description": row.description if shows_description else None,
        "paper": row.paper_url if shows_description else None,
        "code": row.code_url if shows_description else None,
        "answers": {question.id: answer for question, answer in answers},
        "ranking": ranking_out(results) if results else None,
        "runs": [
            {
                "id": each.run.public_id,
                "number": each.run.number,
                "phase": each.run.phase.code,
                "received_at": each.run.received_at,
                "state": each.state,
            }
            for each in run_rows(request.user, row, at=at)
        ],
        "url": absolute(reverse("system", args=[task.slug, row.public_id])),
    }


def ranking_out(results: dict[str, Any]) -> dict[str, Any]:
    view: StandingView = results["view"]
    metric, presentation = results["metric"], results["presentation"]
    return {
        "phase": view.phase.code,
        "ranking": view.standing.ranking,
        "metric": metric,
        "run": results["entrant"].id,
        "signature": view.signature(metric),
        "by_test_set": [
            {
                "test_set": result.test_set.code,
                "status": result.status,
                "rank": result.rank,
                "score": printed_number(result.f1, presentation),
                "low": printed_number(result.low, presentation),
                "high": printed_number(result.high, presentation),
            }
            for result, _ in results["by_test_set"]
        ],
    }
