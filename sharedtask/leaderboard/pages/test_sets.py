"""The list of a task's test sets, and the page of each of them."""

from __future__ import annotations

from datetime import datetime

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from evaluation.scoring.presentation import PLAIN
from sharedtask.accounts.roles import Viewer
from sharedtask.competition import task_access
from sharedtask.competition.coverage import coverage
from sharedtask.core import clock
from sharedtask.leaderboard.system.analyses import analyses_of
from sharedtask.leaderboard.system.breakdown_sums import sum_breakdowns
from sharedtask.leaderboard.system.error_classes import error_classes_context
from sharedtask.leaderboard.test_set.difficulty import difficulties
from sharedtask.leaderboard.test_set.info import test_set_infos
from sharedtask.leaderboard.test_set.label_shares import label_tables
from sharedtask.leaderboard.test_set.plots import difficulty_plot, segmentation_plot
from sharedtask.leaderboard.test_set.query import TestSetQuery, parse_query
from sharedtask.leaderboard.test_set.ranking import ranking
from sharedtask.leaderboard.test_set.references import references_of
from sharedtask.leaderboard.test_set.table import sort_rows, test_set_rows
from sharedtask.standings.choice import choose_ranking
from sharedtask.standings.page_cache.decorator import cached_for_visitors
from sharedtask.standings.signature import SET
from sharedtask.standings.standing_view import StandingView


@require_safe
@cached_for_visitors
def test_sets(request: HttpRequest, slug: str) -> HttpResponse:
    at = clock.database_now()
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    infos = test_set_infos(request.user, task, at=at)
    query = parse_query(request.GET)
    choice = choose_ranking(request.user, task, query, at=at)
    view = choice.view
    metric = view.metric_of(query.metric) if view else ""
    presentation = view.presentation(metric) if view else PLAIN
    by_code = difficulties(view, metric) if view else {}
    context = {
        "task": task,
        "at": at,
        "rankings": choice.standings,
        "view": view,
        "metric": metric,
        "presentation": presentation,
        "is_partial": bool(coverage(len(infos), task.test_sets_total)),
        "rows": sort_rows(test_set_rows(infos, view, by_code), query.sort),
        "sort": query.sort,
        "difficulty_plot": difficulty_plot(by_code, "", metric, presentation),
        "has_statistics": any(info.statistics for info in infos),
    }
    return render(request, "leaderboard/test_sets.html", context)


@require_safe
@cached_for_visitors
def test_set(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """A test set without results for this viewer has a page as well."""
    at = clock.database_now()
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    infos = test_set_infos(request.user, task, at=at, code=code)
    if not infos:
        raise Http404("there is no such test set for this viewer")
    info = infos[0]
    query = parse_query(request.GET)
    choice = choose_ranking(request.user, task, query, at=at, code=code)
    context = {
        "task": task,
        "at": at,
        "info": info,
        "test_set": info.test_set,
        "gold_tables": label_tables(info.statistics) if info.statistics else [],
        "rankings": choice.standings,
        "view": choice.view,
        "references": references_of(
            request.user,
            choice.view,
            info.gold,
            choice.view.metric_of(query.metric) if choice.view else "",
            at=at,
        ),
    }
    if choice.view is not None:
        context |= results_context(query, choice.view, code)
        context |= field_errors_context(request.user, choice.view, code, at=at)
    return render(request, "leaderboard/test_set.html", context)


def field_errors_context(viewer: Viewer, view: StandingView, code: str, *, at: datetime) -> dict[str, object]:
    """Errors by class of all systems combined, for released gold."""
    ranked = [entrant for entrant in view.entrants if not entrant.withdrawn]
    analyses = [by_code[code] for by_code in analyses_of(viewer, view, ranked, at=at) if code in by_code]
    if not analyses:
        return {}
    name = f"all {len(analyses)} systems combined"
    return error_classes_context([sum_breakdowns(tuple(analyses)).errors], [name])


def results_context(query: TestSetQuery, view: StandingView, code: str) -> dict[str, object]:
    metric = view.metric_of(query.metric)
    presentation = view.presentation(metric)
    by_code = difficulties(view, metric)
    return {
        "metric": metric,
        "scope": SET + code,
        "presentation": presentation,
        "ranking": ranking(view, code, metric),
        "difficulty": by_code.get(code),
        "difficulties": by_code,
        "difficulty_plot": difficulty_plot(by_code, code, metric, presentation),
        **segmentation_context(query, view, code, metric),
    }


def segmentation_context(
    query: TestSetQuery, view: StandingView, code: str, metric: str
) -> dict[str, object]:
    """Empty without a segmentation metric: of a profile with given tokens, or of such a track."""
    metrics = tuple(name for name in view.profile.segmentation if name in view.figures.metrics)
    if not metrics:
        return {}
    segmentation = query.against if query.against in metrics else metrics[0]
    # Segmentation against itself would be a straight line.
    parsing = metric if metric not in metrics else view.figures.main[0]
    return {
        "segmentation_plot": segmentation_plot(view, code, segmentation=segmentation, metric=parsing),
        "segmentation": segmentation,
        "segmentation_metrics": metrics,
        "parsing": parsing,
    }
