"""The list of a task's test sets, and the page of each of them."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from evaluation.scoring.presentation import PLAIN
from sharedtask.competition import task_access
from sharedtask.core import clock
from sharedtask.leaderboard.test_set.difficulty import difficulties
from sharedtask.leaderboard.test_set.info import about
from sharedtask.leaderboard.test_set.label_shares import tables
from sharedtask.leaderboard.test_set.plots import among_others, segmentation_against
from sharedtask.leaderboard.test_set.ranking import ranking
from sharedtask.leaderboard.test_set.table import in_order, listed
from sharedtask.standings.page_cache.decorator import cached_for_visitors
from sharedtask.standings.query import choose_ranking
from sharedtask.standings.standing_view import StandingView


@require_safe
@cached_for_visitors
def test_sets(request: HttpRequest, slug: str) -> HttpResponse:
    at = clock.database_now()
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    known = about(request.user, task, at=at)
    asked = choose_ranking(request, task, at=at)
    field = asked.field
    metric = field.metric_of(request.GET.get("metric")) if field else ""
    presentation = field.presentation(metric) if field else PLAIN
    found = difficulties(field, metric) if field else {}
    sort = request.GET.get("sort", "")
    context = {
        "task": task,
        "at": at,
        "asked": asked,
        "field": field,
        "metric": metric,
        "presentation": presentation,
        "sets": in_order(listed(known, field, found), sort),
        "sort": sort,
        "picture": among_others(found, "", metric, presentation),
        "has_statistics": any(one.statistics for one in known),
    }
    return render(request, "leaderboard/test_sets.html", context)


@require_safe
@cached_for_visitors
def test_set(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """A test set without results, or without any that this reader may see, has a page all the same."""
    at = clock.database_now()
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    known = about(request.user, task, at=at, code=code)
    if not known:
        raise Http404("there is no such test set for this reader")
    asked = choose_ranking(request, task, at=at, code=code)
    statistics = known[0].statistics
    context = {
        "task": task,
        "at": at,
        "about": known[0],
        "test_set": known[0].test_set,
        "gold_tables": tables(statistics) if statistics else [],
        "asked": asked,
    }
    return render(request, "leaderboard/test_set.html", context | results_of(request, asked.field, code))


def results_of(request: HttpRequest, field: StandingView | None, code: str) -> dict[str, object]:
    if field is None:
        return {"field": None}
    metric = field.metric_of(request.GET.get("metric"))
    presentation = field.presentation(metric)
    found = difficulties(field, metric)
    return {
        "field": field,
        "metric": metric,
        "presentation": presentation,
        "ranking": ranking(field, code, metric),
        "difficulty": found.get(code),
        "difficulties": found,
        "distribution": among_others(found, code, metric, presentation),
        **against_segmentation(request, field, code, metric),
    }


def against_segmentation(
    request: HttpRequest, field: StandingView, code: str, metric: str
) -> dict[str, object]:
    """Nothing for a profile that gives its tokens and has no metric of segmentation."""
    known = field.profile.segmentation
    if not known:
        return {}
    asked = request.GET.get("against", "")
    segmentation = asked if asked in known else known[0]
    # Segmentation against itself would be a straight line.
    parsing = metric if metric not in known else field.figures.main[0]
    return {
        "scatter": segmentation_against(field, code, segmentation=segmentation, metric=parsing),
        "segmentation": segmentation,
        "segmentations": known,
        "parsing": parsing,
    }
