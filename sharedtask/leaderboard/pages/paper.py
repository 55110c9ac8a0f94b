"""The tables of an overview paper, as a page and as files, and the citation of the results."""

from __future__ import annotations

from datetime import datetime

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from evaluation.ranking.tables.table import Table
from sharedtask.competition import task_access
from sharedtask.competition.models import Task
from sharedtask.core import clock
from sharedtask.leaderboard.pages.no_results import no_results
from sharedtask.leaderboard.paper import errors
from sharedtask.leaderboard.paper.bibtex import bibtex_of
from sharedtask.leaderboard.paper.files import TABLE_FORMATS
from sharedtask.leaderboard.paper.systems import systems_table
from sharedtask.leaderboard.paper.systems import table_of as table_of_systems
from sharedtask.leaderboard.paper.tables import paper_tables, with_captions
from sharedtask.standings.choice import RankingChoice, choose_ranking
from sharedtask.standings.page_cache.decorator import cached_for_visitors
from sharedtask.standings.query import parse_results_query
from sharedtask.standings.standing_view import StandingView


@require_safe
@cached_for_visitors
def tables(request: HttpRequest, slug: str) -> HttpResponse:
    at = clock.database_now()
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    choice = choice_for(request, task, at=at)
    if choice.view is None:
        return no_results(request, slug, at=at)
    context = {
        "task": task,
        "at": at,
        "rankings": choice.standings,
        "view": choice.view,
        "tables": tables_for(request, choice.view, at=at),
        "formats": TABLE_FORMATS,
        "bibtex": bibtex_of(task, choice.view),
    }
    return render(request, "leaderboard/tables.html", context)


@require_safe
@cached_for_visitors
def table_download(request: HttpRequest, slug: str, name: str, ending: str) -> HttpResponse:
    """With the metric and the other choices of the page that links to it."""
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    at = clock.database_now()
    choice = choice_for(request, task, at=at)
    format = TABLE_FORMATS.get(ending)
    if choice.view is None or format is None:
        raise Http404("there is no such table for this viewer")
    table = tables_for(request, choice.view, at=at, only=name).get(name)
    if table is None:
        raise Http404("there is no such table for this viewer")
    response = HttpResponse(format.write(table, choice.view), content_type=format.content_type)
    response["Content-Disposition"] = f'attachment; filename="{task.slug}-{name}.{ending}"'
    return response


def choice_for(request: HttpRequest, task: Task, *, at: datetime) -> RankingChoice:
    return choose_ranking(request.user, task, parse_results_query(request.GET), at=at)


def tables_for(request: HttpRequest, view: StandingView, *, at: datetime, only: str = "") -> dict[str, Table]:
    """With `only`, at least that one."""
    metric = view.metric_of(parse_results_query(request.GET).metric)
    tables = [table_of_systems(systems_table(view, metric))]
    if only in ("", errors.NAME) and (by_class := errors.errors_table(request.user, view, at=at)):
        tables.append(by_class)
    described = with_captions({table.name: table for table in tables}, view)
    return described if only in described else paper_tables(view, request.GET.dict(), only=only) | described


@require_safe
@cached_for_visitors
def systems(request: HttpRequest, slug: str) -> HttpResponse:
    """The systems of a ranking side by side, as their teams describe them."""
    at = clock.database_now()
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    choice = choice_for(request, task, at=at)
    if choice.view is None:
        return no_results(request, slug, at=at)
    metric = choice.view.metric_of(parse_results_query(request.GET).metric)
    context = {
        "task": task,
        "at": at,
        "rankings": choice.standings,
        "view": choice.view,
        "systems": systems_table(choice.view, metric),
    }
    return render(request, "leaderboard/systems.html", context)


@require_safe
@cached_for_visitors
def bibtex(request: HttpRequest, slug: str) -> HttpResponse:
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    choice = choice_for(request, task, at=clock.database_now())
    response = HttpResponse(bibtex_of(task, choice.view), content_type="application/x-bibtex; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{task.slug}.bib"'
    return response
