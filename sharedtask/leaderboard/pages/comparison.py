"""The comparison page: two to six systems of one ranking, by test set, by group, and by kind of word."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from evaluation.ranking.results import EVERYTHING
from sharedtask.competition import task_access
from sharedtask.core import clock
from sharedtask.leaderboard.comparison.by_scope import by_scope, scope_line
from sharedtask.leaderboard.comparison.by_test_set import in_order, lines
from sharedtask.leaderboard.comparison.pairs import best_first, pairs
from sharedtask.leaderboard.comparison.plots import drawn, spread
from sharedtask.leaderboard.system.analyses import analysed
from sharedtask.leaderboard.system.breakdown_sums import summed
from sharedtask.leaderboard.system.breakdown_tables import divisions, most_different_first
from sharedtask.leaderboard.system.by_scope import words_of
from sharedtask.standings.page_cache.decorator import cached_for_visitors
from sharedtask.standings.standing_view import (
    Entrant,
    StandingView,
    choose_standing,
    scope_of,
    view_standing,
    visible_standings,
)

MOST = 6
"""More systems than this cannot be told apart by marks and colours."""


@require_safe
@cached_for_visitors
def compare(request: HttpRequest, slug: str) -> HttpResponse:
    """Without systems it is the form to choose them; systems that the ranking does not have are left out."""
    at = clock.database_now()
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    asked = list(dict.fromkeys(request.GET.getlist("with")))
    shown = visible_standings(request.user, task, at=at, preview="preview" in request.GET)
    ranking = choose_standing(
        shown, phase=request.GET.get("phase"), ranking=request.GET.get("ranking"), having=asked
    )
    if ranking is None:
        raise Http404("there are no standings for this reader")
    field = view_standing(request.user, ranking, at=at)
    named = [one for one in field.entrants if one.id in asked]
    metric = field.metric_of(request.GET.get("metric"))
    scope = scope_of(request.GET.get("scope"), field.figures.scopes)
    chosen = best_first(field, named[:MOST], metric, scope)
    context = {
        "task": task,
        "at": at,
        "asked": {"shown": shown},
        "field": field,
        "chosen": chosen,
        "too_many": len(named) > MOST,
        "most": MOST,
        "metric": metric,
        "presentation": field.presentation(metric),
        "scope": scope,
        "asked_scope": request.GET.get("scope", "") if scope != EVERYTHING else "",
        "scope_words": words_of(field, scope),
    }
    if len(chosen) > 1:
        context |= figures(request, field, chosen, metric, scope)
        context |= kinds_of_words(request, field, chosen, scope, at=at)
    return render(request, "leaderboard/compare.html", context)


def figures(
    request: HttpRequest, field: StandingView, chosen: Sequence[Entrant], metric: str, scope: str
) -> dict[str, Any]:
    sort = request.GET.get("sort", "")
    found = in_order(lines(field, chosen, metric, scope), sort, field.presentation(metric))
    every = pairs(field, chosen, metric, scope)
    told: dict[str, Any] = {
        "pairs": every,
        "corrected": any(one.p_holm is not None for one in every),
        "scopes": by_scope(field, chosen, metric),
        "by_metric": [
            (name, field.presentation(name), scope_line(field, chosen, name, scope))
            for name in field.figures.main
        ],
        "sort": sort,
        "significant": [one for one in found if one.significant],
    }
    if len(chosen) == 2:
        told["pair"] = every[0]
        told["axis"], told["drawn"] = drawn(found)
    else:
        told["scale"], told["spread"] = spread(found)
    return told


def kinds_of_words(
    request: HttpRequest, field: StandingView, chosen: Sequence[Entrant], scope: str, *, at: datetime
) -> dict[str, Any]:
    """Where gold is released for all of them: breakdowns over the test sets that all have, or over one."""
    every = analysed(request.user, field, chosen, at=at)
    codes = [code for code in field.codes_of(scope) if all(code in one for one in every)]
    if not codes:
        return {}
    asked = request.GET.get("set", "")
    added_up = [asked] if asked in codes else codes
    sums = [summed(tuple(one[code] for code in added_up)) for one in every]
    return {
        "analysed": codes,
        "one_set": asked if asked in codes else "",
        "added_up": added_up,
        "divisions": most_different_first(
            divisions([one.breakdowns for one in sums], field.profile.breakdown)
        ),
        "counted_in": field.profile.breakdown,
        "counted": field.presentation(field.profile.breakdown[0]),
    }
