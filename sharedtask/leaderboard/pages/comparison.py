"""The comparison page: two to six systems of one ranking, by test set, by group, and by kind of word."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from evaluation.ranking.results import EVERYTHING
from sharedtask.competition import task_access
from sharedtask.core import clock
from sharedtask.leaderboard.comparison.by_scope import scope_row, scope_rows
from sharedtask.leaderboard.comparison.by_test_set import compare_by_test_set, sort_comparisons
from sharedtask.leaderboard.comparison.pairs import best_first, pairs
from sharedtask.leaderboard.comparison.plots import difference_plot, difference_ticks, score_plot
from sharedtask.leaderboard.pages.no_results import no_results
from sharedtask.leaderboard.system.analyses import analyses_of
from sharedtask.leaderboard.system.breakdown_sums import sum_breakdowns
from sharedtask.leaderboard.system.breakdown_tables import (
    breakdown_tables,
    metrics_of_breakdowns,
    most_different_first,
)
from sharedtask.leaderboard.system.by_scope import scope_title
from sharedtask.leaderboard.system.strips import score_ticks
from sharedtask.standings.page_cache.decorator import cached_for_visitors
from sharedtask.standings.standing_view import (
    Entrant,
    StandingView,
    choose_standing,
    scope_of,
    view_standing,
    visible_standings,
)

MAX_SYSTEMS = 6
"""More than this cannot be told apart by marks and colours."""


@require_safe
@cached_for_visitors
def compare(request: HttpRequest, slug: str) -> HttpResponse:
    """Without systems it is the form to choose them; systems that are not in the ranking are left out."""
    at = clock.database_now()
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    requested = list(dict.fromkeys(request.GET.getlist("with")))
    rankings = visible_standings(request.user, task, at=at, preview="preview" in request.GET)
    chosen = choose_standing(
        rankings, phase=request.GET.get("phase"), ranking=request.GET.get("ranking"), having=requested
    )
    if chosen is None:
        return no_results(request, slug, at=at)
    field = view_standing(request.user, chosen, at=at)
    entrants = [entrant for entrant in field.entrants if entrant.id in requested]
    metric = field.metric_of(request.GET.get("metric"))
    scope = scope_of(request.GET.get("scope"), field.figures.scopes)
    systems = best_first(field, entrants[:MAX_SYSTEMS], metric, scope)
    context = {
        "task": task,
        "at": at,
        "rankings": rankings,
        "field": field,
        "systems": systems,
        "too_many": len(entrants) > MAX_SYSTEMS,
        "max_systems": MAX_SYSTEMS,
        "metric": metric,
        "signature": field.signature(metric, scope),
        "presentation": field.presentation(metric),
        "scope_parameter": request.GET.get("scope", "") if scope != EVERYTHING else "",
        "scope_title": scope_title(field, scope),
    }
    if len(systems) > 1:
        context |= figures_context(request, field, systems, metric, scope)
        context |= breakdowns_context(request, field, systems, metric, scope, at=at)
    return render(request, "leaderboard/compare.html", context)


def figures_context(
    request: HttpRequest, field: StandingView, systems: Sequence[Entrant], metric: str, scope: str
) -> dict[str, Any]:
    sort = request.GET.get("sort", "")
    comparisons = sort_comparisons(
        compare_by_test_set(field, systems, metric, scope), sort, field.presentation(metric)
    )
    all_pairs = pairs(field, systems, metric, scope)
    context: dict[str, Any] = {
        "pairs": all_pairs,
        "corrected": any(pair.p_holm is not None for pair in all_pairs),
        "scopes": scope_rows(field, systems, metric),
        "by_metric": [
            (name, field.presentation(name), scope_row(field, systems, name, scope))
            for name in field.figures.main
        ],
        "sort": sort,
        "significant": [comparison for comparison in comparisons if comparison.significant],
    }
    if len(systems) == 2:
        axis, marks = difference_plot(comparisons)
        return context | {
            "pair": all_pairs[0],
            "ticks": difference_ticks(axis),
            "zero": axis.percent(0.0),
            "difference_marks": marks,
        }
    axis, rows = score_plot(comparisons)
    return context | {"ticks": score_ticks(axis), "score_rows": rows}


def breakdowns_context(
    request: HttpRequest,
    field: StandingView,
    systems: Sequence[Entrant],
    metric: str,
    scope: str,
    *,
    at: datetime,
) -> dict[str, Any]:
    """Breakdowns over the test sets for which all systems have one, or over one of these."""
    analyses = analyses_of(request.user, field, systems, at=at)
    codes = [code for code in field.codes_of(scope) if all(code in by_code for by_code in analyses)]
    if not codes:
        return {}
    requested = request.GET.get("set", "")
    one_set = requested if requested in codes else ""
    summed_sets = [one_set] if one_set else codes
    sums = [sum_breakdowns(tuple(by_code[code] for code in summed_sets)) for by_code in analyses]
    metrics = metrics_of_breakdowns(field.profile, metric)
    tables = breakdown_tables([total.breakdowns for total in sums], metrics)
    return {
        "analysed_sets": codes,
        "one_set": one_set,
        "summed_sets": summed_sets,
        "breakdown_tables": most_different_first(tables),
        "breakdown_metrics": metrics,
        "breakdown_presentation": field.presentation(metrics[0]),
    }
