"""The page of the matrix of systems and test sets, and the same as a table for a spreadsheet."""

from __future__ import annotations

from datetime import datetime

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from evaluation.ranking.results import EVERYTHING, LANGUAGE
from sharedtask.competition import task_access
from sharedtask.competition.models import Task, TestSet
from sharedtask.core import clock
from sharedtask.leaderboard.matrix.build import CellAddress, build
from sharedtask.leaderboard.matrix.cell_values import CellKind
from sharedtask.leaderboard.matrix.download import csv_of
from sharedtask.leaderboard.matrix.query import baselines_of, parse_query
from sharedtask.leaderboard.pages.no_results import NoStandings, no_results
from sharedtask.standings import standing_access
from sharedtask.standings.choice import RankingChoice, choose_ranking
from sharedtask.standings.page_cache.decorator import cached_for_visitors
from sharedtask.standings.query import parse_results_query, redirect_to_tidy_address
from sharedtask.standings.standing_view import Entrant, StandingView


@require_safe
@cached_for_visitors
def matrix(request: HttpRequest, slug: str) -> HttpResponse:
    """Readers who may see results later get a page that says so before anything is scored."""
    if tidy := redirect_to_tidy_address(request):
        return tidy
    at = clock.database_now()
    try:
        task, choice = task_and_ranking(request, slug, at=at)
    except NoStandings:
        return no_results(request, slug, at=at)
    view = choice.view
    if view is None:
        return render(request, "leaderboard/matrix.html", {"task": task, "rankings": choice.standings})
    query = parse_query(request.GET.dict(), view)
    baselines = baselines_of(view)
    return render(
        request,
        "leaderboard/matrix.html",
        {
            "task": task,
            "rankings": choice.standings,
            "view": view,
            "matrix": build(view, query, cell_addresses(request, task, view, at=at)),
            "query": query,
            "kinds": [kind for kind in CellKind if kind is not CellKind.BASELINE or baselines],
            "baselines": baselines,
            "scopes": scope_choices(view),
        },
    )


@require_safe
@cached_for_visitors
def matrix_csv(request: HttpRequest, slug: str) -> HttpResponse:
    task, choice = task_and_ranking(request, slug, at=clock.database_now())
    if choice.view is None:
        raise Http404("nothing has been scored yet")
    query = parse_query(request.GET.dict(), choice.view)
    content = csv_of(build(choice.view, query, lambda *_: "", by_group=False))
    response = HttpResponse(content, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{task.slug}-matrix.csv"'
    return response


def task_and_ranking(request: HttpRequest, slug: str, *, at: datetime) -> tuple[Task, RankingChoice]:
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    choice = choose_ranking(request.user, task, parse_results_query(request.GET), at=at)
    if not choice.standings and not standing_access.phases_with_standings(request.user, task, at=at).exists():
        raise NoStandings("there are no standings for this viewer")
    return task, choice


def cell_addresses(request: HttpRequest, task: Task, view: StandingView, *, at: datetime) -> CellAddress:
    """A cell links to the sentences of an output with trees if gold is released, else to the test set."""
    visible = task_access.test_sets(request.user, task, at=at).select_related("gold_in_force")
    versions = task_access.released_gold(request.user, list(visible), at=at) if view.has_trees else ()
    released = {version.test_set_id for version in versions}
    # There are thousands of cells, and `reverse` is slow.
    addresses = {
        test_set.pk: reverse(
            "sentences" if test_set.pk in released else "test-set", args=[task.slug, test_set.code]
        )
        for test_set in view.test_sets.values()
    }

    def cell_address(test_set: TestSet, entrant: Entrant) -> str:
        query = f"?system={entrant.id}" if test_set.pk in released else ""
        return addresses[test_set.pk] + query

    return cell_address


def scope_choices(view: StandingView) -> list[tuple[str, str]]:
    """Value and label of every scope that has a test set for this viewer."""
    languages = {test_set.language_tag: test_set.language for test_set in view.test_sets.values()}
    choices = []
    for scope in view.figures.scopes:
        if scope == EVERYTHING or not view.codes_of(scope):
            continue
        if scope.startswith(LANGUAGE):
            tag = scope.removeprefix(LANGUAGE)
            choices.append((f"lang:{tag}", languages.get(tag, tag)))
        else:
            choices.append((scope, scope))
    return choices
