"""The tables of an overview paper, as a page and as files, and the citation of the results."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from sharedtask.competition import task_access
from sharedtask.core import clock
from sharedtask.leaderboard.pages.no_results import no_results
from sharedtask.leaderboard.paper.bibtex import bibtex_of
from sharedtask.leaderboard.paper.files import TABLE_FORMATS
from sharedtask.leaderboard.paper.tables import paper_tables
from sharedtask.standings.page_cache.decorator import cached_for_visitors
from sharedtask.standings.query import choose_ranking


@require_safe
@cached_for_visitors
def tables(request: HttpRequest, slug: str) -> HttpResponse:
    at = clock.database_now()
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    choice = choose_ranking(request, task, at=at)
    if choice.view is None:
        return no_results(request, slug, at=at)
    context = {
        "task": task,
        "at": at,
        "rankings": choice.standings,
        "field": choice.view,
        "tables": paper_tables(choice.view, request.GET.dict()),
        "formats": TABLE_FORMATS,
        "bibtex": bibtex_of(task, choice.view),
    }
    return render(request, "leaderboard/tables.html", context)


@require_safe
@cached_for_visitors
def table_download(request: HttpRequest, slug: str, name: str, ending: str) -> HttpResponse:
    """With the metric and the other choices of the page that links to it."""
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    choice = choose_ranking(request, task, at=clock.database_now())
    format = TABLE_FORMATS.get(ending)
    if choice.view is None or format is None:
        raise Http404("there is no such table for this reader")
    table = paper_tables(choice.view, request.GET.dict(), only=name).get(name)
    if table is None:
        raise Http404("there is no such table for this reader")
    response = HttpResponse(format.write(table, choice.view), content_type=format.content_type)
    response["Content-Disposition"] = f'attachment; filename="{task.slug}-{name}.{ending}"'
    return response


@require_safe
@cached_for_visitors
def bibtex(request: HttpRequest, slug: str) -> HttpResponse:
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    choice = choose_ranking(request, task, at=clock.database_now())
    response = HttpResponse(bibtex_of(task, choice.view), content_type="application/x-bibtex; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{task.slug}.bib"'
    return response
