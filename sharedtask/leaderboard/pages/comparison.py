"""The comparison page: two to six systems of one ranking, by test set, by group, and by kind of word."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from evaluation.ranking.results import EVERYTHING
from sharedtask.accounts.roles import Viewer
from sharedtask.competition import task_access
from sharedtask.core import clock
from sharedtask.leaderboard.comparison.by_scope import scope_row, scope_rows
from sharedtask.leaderboard.comparison.by_test_set import compare_by_test_set, sort_comparisons
from sharedtask.leaderboard.comparison.pairs import best_first, pairs, stored_pairs
from sharedtask.leaderboard.comparison.plots import difference_plot, difference_ticks, score_plot
from sharedtask.leaderboard.comparison.query import ComparisonQuery, parse_query
from sharedtask.leaderboard.pages.no_results import no_results
from sharedtask.leaderboard.system.analyses import analyses_of
from sharedtask.leaderboard.system.breakdown_sums import sum_breakdowns
from sharedtask.leaderboard.system.breakdown_tables import (
    breakdown_tables,
    metrics_of_breakdowns,
    most_different_first,
)
from sharedtask.leaderboard.system.by_scope import scope_title
from sharedtask.leaderboard.system.error_classes import error_classes_context
from sharedtask.leaderboard.system.strips import score_ticks
from sharedtask.standings.choice import choose_ranking
from sharedtask.standings.page_cache.decorator import cached_for_visitors
from sharedtask.standings.standing_view import Entrant, StandingView

MAX_SYSTEMS = 6
"""More than this cannot be told apart by marks and colours."""


@require_safe
@cached_for_visitors
def compare(request: HttpRequest, slug: str) -> HttpResponse:
    """Without systems it is the form to choose them; systems that are not in the ranking are left out."""
    at = clock.database_now()
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    query = parse_query(request.GET)
    choice = choose_ranking(request.user, task, query, at=at, having=query.systems)
    view = choice.view
    if view is None:
        return no_results(request, slug, at=at)
    metric, scope = view.metric_of(query.metric), view.scope_of(query.scope)
    systems = compared_systems(view, query)
    context = {
        "task": task,
        "at": at,
        "rankings": choice.standings,
        "view": view,
        "systems": systems,
        "too_many": sum(entrant.id in query.systems for entrant in view.entrants) > MAX_SYSTEMS,
        "max_systems": MAX_SYSTEMS,
        "metric": metric,
        "scope": scope,
        "presentation": view.presentation(metric),
        "scope_parameter": query.scope if scope != EVERYTHING else "",
        "scope_title": scope_title(view, scope),
    }
    if len(systems) > 1:
        context |= figures_context(query, view, systems, metric, scope)
        context |= breakdowns_context(request.user, query, view, systems, metric, scope, at=at)
    return render(request, "leaderboard/compare.html", context)


def compared_systems(view: StandingView, query: ComparisonQuery) -> list[Entrant]:
    """The best first."""
    entrants = [entrant for entrant in view.entrants if entrant.id in query.systems]
    metric, scope = view.metric_of(query.metric), view.scope_of(query.scope)
    return best_first(view, entrants[:MAX_SYSTEMS], metric, scope)


def figures_context(
    query: ComparisonQuery, view: StandingView, systems: Sequence[Entrant], metric: str, scope: str
) -> dict[str, Any]:
    presentation = view.presentation(metric)
    stored = stored_pairs(view, systems, scope)
    comparisons = sort_comparisons(
        compare_by_test_set(view, systems, metric, scope, stored), query.sort, presentation
    )
    all_pairs = pairs(view, systems, metric, scope, stored)
    context: dict[str, Any] = {
        "pairs": all_pairs,
        "some_not_compared": any(pair.not_compared for pair in all_pairs),
        "corrected": any(pair.p_holm is not None for pair in all_pairs),
        "scopes": scope_rows(view, systems, metric, stored),
        "by_metric": [
            (name, view.presentation(name), scope_row(view, systems, name, scope, stored))
            for name in view.figures.main
        ],
        "sort": query.sort,
        "some_too_small": any(comparison.too_small for comparison in comparisons),
        "significant": [comparison for comparison in comparisons if comparison.significant],
    }
    if len(systems) == 2:
        axis, marks = difference_plot(comparisons, presentation)
        return context | {
            "pair": all_pairs[0],
            "ticks": difference_ticks(axis, presentation),
            "zero": axis.percent(0.0),
            "difference_marks": marks,
        }
    axis, rows = score_plot(comparisons, presentation)
    return context | {"ticks": score_ticks(axis, presentation), "score_rows": rows}


def breakdowns_context(
    viewer: Viewer,
    query: ComparisonQuery,
    view: StandingView,
    systems: Sequence[Entrant],
    metric: str,
    scope: str,
    *,
    at: datetime,
) -> dict[str, Any]:
    """Breakdowns over the test sets for which all systems have one, or over one of these."""
    analyses = analyses_of(viewer, view, systems, at=at)
    codes = [code for code in view.codes_of(scope) if all(code in by_code for by_code in analyses)]
    if not codes:
        return {}
    one_set = query.test_set if query.test_set in codes else ""
    summed_sets = [one_set] if one_set else codes
    sums = [sum_breakdowns(tuple(by_code[code] for code in summed_sets)) for by_code in analyses]
    metrics = metrics_of_breakdowns(view.profile, metric)
    tables = breakdown_tables([total.breakdowns for total in sums], metrics)
    return {
        **error_classes_context(
            [total.errors for total in sums], [system.name for system in systems], systems
        ),
        "analysed_sets": codes,
        "one_set": one_set,
        "summed_sets": summed_sets,
        "breakdown_tables": most_different_first(tables),
        "breakdown_metrics": metrics,
        "breakdown_presentation": view.presentation(metrics[0]),
    }
