"""The table of error classes as a file: of a system, of systems side by side, of the field on a test set.

Each has the figures of the page that links to it, with the choices in the address.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from sharedtask.competition import task_access
from sharedtask.competition.models import Task
from sharedtask.core import clock
from sharedtask.leaderboard.comparison import query as of_comparison
from sharedtask.leaderboard.pages.comparison import breakdowns_context, compared_systems
from sharedtask.leaderboard.pages.systems import results_context
from sharedtask.leaderboard.pages.test_sets import field_errors_context
from sharedtask.leaderboard.paper.files import TABLE_FORMATS
from sharedtask.leaderboard.system import query as of_system
from sharedtask.leaderboard.system.error_classes import as_table
from sharedtask.leaderboard.test_set import query as of_test_set
from sharedtask.standings.choice import choose_ranking
from sharedtask.standings.page_cache.decorator import cached_for_visitors
from sharedtask.standings.standing_view import StandingView
from sharedtask.teams.models import System


@require_safe
@cached_for_visitors
def errors_of_system(request: HttpRequest, slug: str, public_id: str, ending: str) -> HttpResponse:
    task = find_task(request, slug)
    system = get_object_or_404(System, team__task=task, public_id=public_id)
    query, at = of_system.parse_query(request.GET), clock.database_now()
    context = results_context(request.user, query, system, at=at)
    return written(context, context.get("view"), task, ending)


@require_safe
@cached_for_visitors
def errors_of_systems(request: HttpRequest, slug: str, ending: str) -> HttpResponse:
    task = find_task(request, slug)
    query, at = of_comparison.parse_query(request.GET), clock.database_now()
    view = choose_ranking(request.user, task, query, at=at, having=query.systems).view
    context: Mapping[str, Any] = {}
    if view is not None:
        metric, scope = view.metric_of(query.metric), view.scope_of(query.scope)
        systems = compared_systems(view, query)
        if len(systems) > 1:
            context = breakdowns_context(request.user, query, view, systems, metric, scope, at=at)
    return written(context, view, task, ending)


@require_safe
@cached_for_visitors
def errors_on_test_set(request: HttpRequest, slug: str, code: str, ending: str) -> HttpResponse:
    task = find_task(request, slug)
    query, at = of_test_set.parse_query(request.GET), clock.database_now()
    view = choose_ranking(request.user, task, query, at=at, code=code).view
    context = field_errors_context(request.user, view, code, at=at) if view else {}
    return written(context, view, task, ending)


def find_task(request: HttpRequest, slug: str) -> Task:
    return get_object_or_404(task_access.tasks(request.user), slug=slug)


def written(context: Mapping[str, Any], view: StandingView | None, task: Task, ending: str) -> HttpResponse:
    format = TABLE_FORMATS.get(ending)
    if view is None or format is None or "error_classes" not in context:
        raise Http404("there is no such table for this viewer")
    table = as_table(context["error_classes"], context["error_systems"])
    response = HttpResponse(format.write(table, view), content_type=format.content_type)
    response["Content-Disposition"] = f'attachment; filename="{task.slug}-errors.{ending}"'
    return response
