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
from sharedtask.competition import task_access
from sharedtask.core import clock
from sharedtask.leaderboard.portrait.beside import own_and_beside
from sharedtask.leaderboard.portrait.confusions import confusion_map
from sharedtask.leaderboard.portrait.divisions import divisions
from sharedtask.leaderboard.portrait.on_sets import OnSet, character, in_order, on_sets, strongest_first
from sharedtask.leaderboard.portrait.places import Place, place, places
from sharedtask.leaderboard.portrait.runs import runs_of
from sharedtask.leaderboard.portrait.sorting import UPWARDS, headings
from sharedtask.leaderboard.portrait.strips import strips
from sharedtask.leaderboard.portrait.summed import summed
from sharedtask.leaderboard.templatetags.printing import figure
from sharedtask.standings.entrants import Entrant, Field, choose, field_of, on_show
from sharedtask.standings.page_cache.for_visitors import for_visitors
from sharedtask.standings.query import tidied
from sharedtask.submissions.official import phases_without_rank_after
from sharedtask.teams import team_access
from sharedtask.teams.models import System
from sharedtask.teams.questionnaire import answered_questions


@require_safe
@for_visitors
def system(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """It exists for whoever may read its description or see it in a ranking."""
    if tidy := tidied(request):
        return tidy
    at = clock.database_now()
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    systems = System.objects.filter(team__task=task).select_related("team__task")
    found = get_object_or_404(systems, public_id=public_id)
    described = team_access.may_see_description(request.user, found, at=at)
    results = results_of(request, found, at=at)
    if not described and not results:
        raise Http404("this system is neither described nor ranked for this reader")
    runs = runs_of(request.user, found, at=at)
    own = team_access.team_of(request.user, task) == found.team
    names = team_access.names(request.user, task, at=at)
    context = {
        "task": task,
        "at": at,
        "system": found,
        "team_name": names.team(found.team),
        "system_name": names.system(found, found.team),
        "described": described,
        "answers": answered_questions(found.questionnaire) if described else [],
        "own": own,
        "unranked_phases": phases_without_rank_after(found, at=at) if own else [],
        "runs": runs,
        "shows_seconds": any(one.seconds is not None for one in runs),
        **results,
    }
    return render(request, "leaderboard/system.html", context)


def results_of(request: HttpRequest, system: System, *, at: datetime) -> dict[str, Any]:
    """Nothing where no ranking that the reader may see has a run of the system."""
    ids = set(system.runs.values_list("public_id", flat=True))
    if not ids:
        return {}
    shown = [
        one
        for one in on_show(request.user, system.team.task, at=at, preview="preview" in request.GET)
        if one.runs & ids
    ]
    chosen = choose(shown, phase=request.GET.get("phase"), track=request.GET.get("track"), having=ids)
    if chosen is None:
        return {}
    field = field_of(request.user, chosen, at=at)
    who = next(one for one in field.entrants if one.id in ids)
    return {
        "asked": {"shown": shown},
        "field": field,
        "who": who,
        **ranking(request, field, who),
        **errors(request, field, who, at=at),
    }


def ranking(request: HttpRequest, field: Field, who: Entrant) -> dict[str, Any]:
    metric = field.metric_of(request.GET.get("metric"))
    presentation = field.presentation(metric)
    sort = request.GET.get("sort", "")
    sets = on_sets(field, who, metric)
    scale, drawn = strips(strongest_first(sets, presentation))
    found = places(field, who, metric)
    main = by_metric(field, who)
    overall = next((place for place in found if place.scope == EVERYTHING), None)
    columns = [("set", "Test set"), ("rank", "Rank"), ("best", "From best"), ("median", "From median")]
    # What the page is about stands first, where a narrow window shows it.
    names = [metric, *(name for name in field.metrics if name != metric)]
    columns += [(name, name) for name in names]
    upwards = UPWARDS.union(name for name in names if field.presentation(name).better == "lower")
    return {
        "rival": rival_of(field, who),
        "metric": metric,
        "presentation": presentation,
        "by_metric": main,
        "ranks": [(name, one) for name, _, one in main]
        if metric in field.figures.main
        else [(metric, overall)],
        "places": found,
        "overall": overall,
        "character": character(sets, presentation),
        "scale": scale,
        "strips": drawn,
        "not_scored": [one for one in sets if one.status != "valid"],
        "sets": [(one, figures_of(one, names, field)) for one in in_order(sets, names, sort)],
        "headings": headings(columns, sort, upwards),
        "sort": sort,
    }


def figures_of(one: OnSet, names: Sequence[str], field: Field) -> list[tuple[str, bool]]:
    """As printed, each with whether its metric ranks."""
    return [
        (figure(one.metrics[name], field.presentation(name)), name in field.figures.main) for name in names
    ]


def by_metric(field: Field, who: Entrant) -> list[tuple[str, Presentation, Place]]:
    """Its place over all test sets by each main metric, which rank as equals."""
    found = [(name, place(field, who, name, EVERYTHING)) for name in field.figures.main]
    return [(name, field.presentation(name), one) for name, one in found if one is not None]


def rival_of(field: Field, who: Entrant) -> Entrant | None:
    """The next one above it, and of the first the next below: whom one wants to compare it with."""
    others = [one for one in field.entrants if one.index != who.index]
    above = [one for one in others if one.index < who.index]
    return above[-1] if above else next(iter(others), None)


def errors(request: HttpRequest, field: Field, who: Entrant, *, at: datetime) -> dict[str, Any]:
    """Breakdowns, where gold is released and a worker has made them; beside those of others."""
    asked = request.GET.get("set", "")
    one_set = asked if asked in field.test_sets else ""
    own, beside = own_and_beside(
        request.user, field, who, asked=request.GET.get("beside", ""), one_set=one_set, at=at
    )
    if not own:
        return {}
    chosen = [one_set] if one_set in own else list(own)
    # Only what both have is added up: the same gold words lie under both figures.
    common = [code for code in chosen if beside and code in beside.analyses]
    sums = [summed(tuple(own[code] for code in common or chosen))]
    if beside and common:
        sums.append(summed(tuple(id for code in common for id in beside.analyses[code])))
    return {
        "divisions": divisions([one.breakdowns for one in sums], field.profile.breakdown, sums[0].worst),
        "counted_in": field.profile.breakdown,
        "counted": field.presentation(field.profile.breakdown[0]),
        "confusions": confusion_map(sums[0].breakdowns.confusion),
        "analysed": list(own),
        "added_up": common or chosen,
        "one_set": one_set if one_set in own else "",
        "others": [one for one in field.entrants if one.index != who.index],
        "beside": beside if common else None,
    }
