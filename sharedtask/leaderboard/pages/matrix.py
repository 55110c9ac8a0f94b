"""The page of the matrix of systems and test sets, and the same as a table for a spreadsheet."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from evaluation.ranking.results import EVERYTHING, LANGUAGE
from sharedtask.competition import task_access
from sharedtask.competition.models import Task, TestSet
from sharedtask.core import clock
from sharedtask.leaderboard.matrix.build import build
from sharedtask.leaderboard.matrix.cell_values import Shown
from sharedtask.leaderboard.matrix.download import csv_of
from sharedtask.leaderboard.matrix.query import baselines_of, wishes_of
from sharedtask.standings import standing_access
from sharedtask.standings.page_cache.decorator import cached_for_visitors
from sharedtask.standings.query import RankingChoice, choose_ranking, redirect_to_tidy_address
from sharedtask.standings.standing_view import Entrant, StandingView


@require_safe
@cached_for_visitors
def matrix(request: HttpRequest, slug: str) -> HttpResponse:
    """Where nothing has been scored yet, a page that says so: its reader may see results when they come."""
    if tidy := redirect_to_tidy_address(request):
        return tidy
    at = clock.database_now()
    task, asked = found(request, slug, at=at)
    field = asked.field
    if field is None:
        return render(request, "leaderboard/matrix.html", {"task": task, "asked": asked})
    wishes = wishes_of(request.GET.dict(), field)
    return render(
        request,
        "leaderboard/matrix.html",
        {
            "task": task,
            "asked": asked,
            "field": field,
            "matrix": build(field, wishes, leading(request, task, field, at=at)),
            "wishes": wishes,
            "kinds": [kind for kind in Shown if kind is not Shown.BASELINE or baselines_of(field)],
            "baselines": baselines_of(field),
            "scopes": scopes_of(field),
        },
    )


@require_safe
@cached_for_visitors
def matrix_csv(request: HttpRequest, slug: str) -> HttpResponse:
    task, asked = found(request, slug, at=clock.database_now())
    if asked.field is None:
        raise Http404("nothing has been scored yet")
    made = build(asked.field, wishes_of(request.GET.dict(), asked.field), lambda *_: "")
    response = HttpResponse(csv_of(made), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{task.slug}-matrix.csv"'
    return response


def found(request: HttpRequest, slug: str, *, at: datetime) -> tuple[Task, RankingChoice]:
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    asked = choose_ranking(request, task, at=at)
    if not asked.shown and not standing_access.phases_with_standings(request.user, task, at=at).exists():
        raise Http404("there are no standings for this reader")
    return task, asked


def leading(
    request: HttpRequest, task: Task, field: StandingView, *, at: datetime
) -> Callable[[TestSet, Entrant], str]:
    """From a cell to the sentences of the file where gold is out, else to the test set."""
    sets = task_access.test_sets(request.user, task, at=at).select_related("task", "gold_in_force")
    released = {version.test_set_id for version in task_access.released_gold(request.user, list(sets), at=at)}
    addresses = {
        one.pk: reverse("sentences" if one.pk in released else "test-set", args=[task.slug, one.code])
        for one in field.test_sets.values()
    }
    return lambda test_set, who: (
        f"{addresses[test_set.pk]}?system={who.id}" if test_set.pk in released else addresses[test_set.pk]
    )


def scopes_of(field: StandingView) -> list[tuple[str, str]]:
    """Value in the address, and words, of every scope that has a test set for this reader."""
    tags = {one.language_tag: one.language for one in field.test_sets.values()}
    told = []
    for scope in field.figures.scopes:
        if scope.startswith(LANGUAGE):
            tag = scope.removeprefix(LANGUAGE)
            told.append((f"lang:{tag}", tags.get(tag, tag)))
        elif scope != EVERYTHING:
            told.append((scope, scope))
    return [(value, words) for value, words in told if field.codes_of(value.replace("lang:", LANGUAGE))]
