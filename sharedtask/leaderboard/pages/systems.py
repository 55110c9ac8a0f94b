"""The page of a system: what its team says of it, its places, its test sets, its errors and its runs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from evaluation import Presentation
from evaluation.ranking.results import EVERYTHING
from sharedtask.accounts.roles import Viewer, team_id_of
from sharedtask.competition import task_access
from sharedtask.core import clock
from sharedtask.leaderboard.system.breakdown_sums import sum_breakdowns
from sharedtask.leaderboard.system.breakdown_tables import breakdown_tables, metrics_of_breakdowns
from sharedtask.leaderboard.system.by_scope import ScopeResult, results_by_scope, scope_result
from sharedtask.leaderboard.system.by_test_set import (
    TestSetResult,
    results_by_test_set,
    sort_results,
    strengths_and_weaknesses,
    strongest_first,
)
from sharedtask.leaderboard.system.confusions import confusion_map
from sharedtask.leaderboard.system.counterpart import own_and_counterpart
from sharedtask.leaderboard.system.error_classes import error_classes_context
from sharedtask.leaderboard.system.query import SystemQuery, parse_query
from sharedtask.leaderboard.system.runs import run_rows
from sharedtask.leaderboard.system.sorting import ASCENDING, sort_headings
from sharedtask.leaderboard.system.strips import score_ticks, strips
from sharedtask.leaderboard.templatetags.printing import figure
from sharedtask.standings.choice import choose_ranking
from sharedtask.standings.page_cache.decorator import cached_for_visitors
from sharedtask.standings.query import redirect_to_tidy_address
from sharedtask.standings.standing_view import Entrant, StandingView
from sharedtask.submissions.official import phases_without_rank_after
from sharedtask.teams import team_access
from sharedtask.teams.models import System
from sharedtask.teams.questionnaire import answered_questions


@require_safe
@cached_for_visitors
def system(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """It exists for readers who may see its description or its place in a ranking."""
    if tidy := redirect_to_tidy_address(request):
        return tidy
    at = clock.database_now()
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    systems = System.objects.filter(team__task=task).select_related("team__task")
    system = get_object_or_404(systems, public_id=public_id)
    shows_description = team_access.may_see_description(request.user, system, at=at)
    results = results_context(request.user, parse_query(request.GET), system, at=at)
    if not shows_description and not results:
        raise Http404("this system is neither described nor ranked for this viewer")
    runs = run_rows(request.user, system, at=at)
    is_own = team_id_of(request.user, task) == system.team_id
    names = team_access.names(request.user, task, at=at)
    context = {
        "task": task,
        "at": at,
        "system": system,
        "team_name": names.team(system.team),
        "system_name": names.system(system, system.team),
        "shows_description": shows_description,
        "has_description": shows_description and (is_own or has_description(system)),
        "answers": answered_questions(system.questionnaire) if shows_description else [],
        "is_own": is_own,
        "unranked_phases": phases_without_rank_after(system, at=at) if is_own else [],
        "runs": runs,
        "shows_seconds": any(row.seconds is not None for row in runs),
        "use_labels": next(([figure.label for figure in row.use.figures] for row in runs if row.use), []),
        **results,
    }
    return render(request, "leaderboard/system.html", context)


def has_description(system: System) -> bool:
    answers = answered_questions(system.questionnaire)
    return bool(system.description or answers or system.paper_url or system.code_url)


def results_context(viewer: Viewer, query: SystemQuery, system: System, *, at: datetime) -> dict[str, Any]:
    """Empty if no ranking that the viewer may see has a run of the system."""
    ids = set(system.runs.values_list("public_id", flat=True))
    if not ids:
        return {}
    choice = choose_ranking(viewer, system.team.task, query, at=at, having=ids, only_having=True)
    view = choice.view
    if view is None:
        return {}
    entrant = next(entrant for entrant in view.entrants if entrant.id in ids)
    return {
        "rankings": choice.standings,
        "view": view,
        "entrant": entrant,
        **ranking_context(query, view, entrant),
        **breakdowns_context(viewer, query, view, entrant, at=at),
    }


def ranking_context(query: SystemQuery, view: StandingView, entrant: Entrant) -> dict[str, Any]:
    metric, sort = view.metric_of(query.metric), query.sort
    presentation = view.presentation(metric)
    results = results_by_test_set(view, entrant, metric)
    axis, strip_rows = strips(strongest_first(results, presentation), presentation)
    by_scope = results_by_scope(view, entrant, metric)
    by_metric = results_by_metric(view, entrant)
    overall = next((result for result in by_scope if result.scope == EVERYTHING), None)
    ranks = [(name, result) for name, _, result in by_metric]
    columns = [("set", "Test set"), ("rank", "Rank"), ("best", "From best"), ("median", "From median")]
    # The chosen metric comes first, where a narrow window shows it.
    names = [metric, *(name for name in view.metrics if name != metric)]
    columns += [(name, name) for name in names]
    ascending = ASCENDING.union(name for name in names if view.presentation(name).better == "lower")
    return {
        "suggested_counterpart": suggested_counterpart(view, entrant),
        "metric": metric,
        "presentation": presentation,
        "by_metric": by_metric,
        "ranks": ranks if metric in view.figures.main else [(metric, overall)],
        "by_scope": by_scope,
        "overall": overall,
        "strengths": strengths_and_weaknesses(results, presentation),
        "ticks": score_ticks(axis, presentation),
        "strips": strip_rows,
        "scored_count": sum(result.status == "valid" for result in results),
        "not_scored": [result for result in results if result.status != "valid"],
        "by_test_set": [
            (result, printed_figures(result, names, view)) for result in sort_results(results, names, sort)
        ],
        "headings": sort_headings(columns, sort, ascending),
        "sort": sort,
    }


def printed_figures(
    result: TestSetResult, names: Sequence[str], view: StandingView
) -> list[tuple[str, bool]]:
    """Each with whether its metric ranks."""
    return [
        (figure(result.metrics[name], view.presentation(name)), name in view.figures.main) for name in names
    ]


def results_by_metric(view: StandingView, entrant: Entrant) -> list[tuple[str, Presentation, ScopeResult]]:
    """Its result over all test sets by each main metric; each of these gives a ranking of its own."""
    results = [(name, scope_result(view, entrant, name, EVERYTHING)) for name in view.figures.main]
    return [(name, view.presentation(name), result) for name, result in results if result is not None]


def suggested_counterpart(view: StandingView, entrant: Entrant) -> Entrant | None:
    """The next system above it, or below it if it is the first: an obvious one to compare it with."""
    others = [other for other in view.entrants if other.index != entrant.index]
    above = [other for other in others if other.index < entrant.index]
    return above[-1] if above else next(iter(others), None)


def breakdowns_context(
    viewer: Viewer, query: SystemQuery, view: StandingView, entrant: Entrant, *, at: datetime
) -> dict[str, Any]:
    """Breakdowns for released gold, compared with those of another system; empty if there are none yet."""
    one_set = query.test_set if query.test_set in view.test_sets else ""
    own, counterpart = own_and_counterpart(
        viewer, view, entrant, requested=query.compare_with, one_set=one_set, at=at
    )
    if not own:
        return {}
    chosen = [one_set] if one_set in own else list(own)
    # Only test sets that both have are added up, so that both figures are about the same gold words.
    common = [code for code in chosen if counterpart and code in counterpart.analyses]
    summed_sets = common or chosen
    sums = [sum_breakdowns(tuple(own[code] for code in summed_sets))]
    if counterpart and common:
        sums.append(sum_breakdowns(tuple(id for code in common for id in counterpart.analyses[code])))
    metrics = metrics_of_breakdowns(view.profile, view.metric_of(query.metric))
    names = [entrant.name, counterpart.name] if counterpart and common else [entrant.name]
    return {
        **error_classes_context([total.errors for total in sums], names, [entrant]),
        "breakdown_tables": breakdown_tables([total.breakdowns for total in sums], metrics, sums[0].worst),
        "breakdown_metrics": metrics,
        "breakdown_presentation": view.presentation(metrics[0]),
        "confusions": confusion_map(sums[0].breakdowns.confusion),
        "analysed_sets": list(own),
        "summed_sets": summed_sets,
        "one_set": one_set if one_set in own else "",
        "others": [other for other in view.entrants if other.index != entrant.index],
        "counterpart": counterpart if common else None,
    }
