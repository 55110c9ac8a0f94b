"""The front page with all tasks, and the page of a task."""

from __future__ import annotations

from django.db.models import F, Max
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from sharedtask.accounts import roles
from sharedtask.competition import task_access
from sharedtask.competition.metrics import main_metrics
from sharedtask.competition.tracks import tracks_of
from sharedtask.core import clock
from sharedtask.leaderboard.board.build import build_default
from sharedtask.leaderboard.board.menus import menus
from sharedtask.overview.dashboard import phase_summaries
from sharedtask.overview.task_overview import task_cards, task_overview
from sharedtask.overview.team_runs_page import runs_context
from sharedtask.standings import standing_access


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    at = clock.database_now()
    tasks = task_access.tasks(request.user).annotate(latest=Max("phases__opens_at"))
    latest = standing_access.phases_with_standings(request.user, at=at).first()
    # What its leaderboard shows unasked: the latest phase itself may have no results.
    board = build_default(request.user, latest.task.slug, at=at) if latest else None
    task = board.facts.task if board else None
    # Tasks without phases come last.
    cards = task_cards(tasks.order_by(F("latest").desc(nulls_last=True), "title"), at=at)
    return render(
        request,
        "overview/home.html",
        {
            "cards": cards,
            "featured": next((card for card in cards if card.task == task), None),
            "can_create_tasks": roles.can_create_tasks(request.user),
            "at": at,
            "task": task,
            "standings": board,
            "menus": menus(board) if board else None,
        },
    )


@require_safe
def task(request: HttpRequest, slug: str) -> HttpResponse:
    at = clock.database_now()
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    overview = task_overview(request.user, task, at=at)
    context = {"task": task, "overview": overview, "at": at, "main_metrics": main_metrics(task)}
    context |= {"tracks": tracks_of(task), "sees_results": overview.has_results}
    context["test_set_count"] = len(overview.test_sets)
    if overview.team is not None and overview.runs:
        phases = [row.phase for row in overview.phases]
        context |= runs_context(task, overview.runs, phase_summaries(task, overview.team, phases, at=at))
    return render(request, "overview/task.html", context)
