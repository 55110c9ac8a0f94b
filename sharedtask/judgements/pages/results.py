"""Results of campaigns: the list of a task, each campaign with its tables, its items, and downloads."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from evaluation.ranking.render import as_csv, as_latex
from evaluation.ranking.tables.table import Table
from sharedtask.accounts import roles
from sharedtask.competition import task_access
from sharedtask.competition.models import Task
from sharedtask.core import clock
from sharedtask.curves.sorting import sort_table
from sharedtask.judgements.campaign_access import may_see_items, visible_campaigns
from sharedtask.judgements.charts import charts_of
from sharedtask.judgements.comparison import TreeComparison
from sharedtask.judgements.export import export_zip
from sharedtask.judgements.forms import TagsForm
from sharedtask.judgements.models import Campaign, Item
from sharedtask.judgements.names import pair_names, run_names
from sharedtask.judgements.paper_tables import TITLES as PAPER_TITLES
from sharedtask.judgements.tables import TITLES
from sharedtask.judgements.visible_results import VisibleResult, visible_result

FORMATS: Mapping[str, tuple[str, Callable[[Table], str]]] = {
    "csv": ("text/csv; charset=utf-8", as_csv),
    "tex": ("application/x-tex; charset=utf-8", as_latex),
}


@require_safe
def judgements(request: HttpRequest, slug: str) -> HttpResponse:
    at = clock.database_now()
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    context = {"task": task, "at": at, "campaigns": visible_campaigns(request.user, task, at=at)}
    return render(request, "judgements/judgements.html", context)


@require_safe
def result(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    task, result = find_result(request, slug, campaign)
    scopes = list(dict.fromkeys(analysis.test_set for analysis in result.analyses))
    asked = request.GET.get("set", "")
    chosen = asked if asked in scopes else next(iter(scopes), "")
    sort = request.GET.get("sort", "")
    context = {
        "task": task,
        "result": result,
        "campaign": result.campaign,
        "scopes": scopes,
        "chosen": chosen,
        "tables": [(TITLES[table.name], sort_table(table, sort)) for table in result.tables_of(chosen)],
        "paper_tables": [
            (PAPER_TITLES[table.name], sort_table(table, sort)) for table in result.paper_tables(chosen)
        ],
        "charts": charts_of([each for each in result.analyses if each.test_set == chosen]),
        "contradicted": result.contradicted_by_test_set(chosen),
        "organises": roles.organises(request.user, task),
    }
    return render(request, "judgements/result.html", context)


@require_safe
def download(request: HttpRequest, slug: str, campaign: str, name: str, ending: str) -> HttpResponse:
    """One table, all figures as JSON, or the judgements and trees as a folder in a zip file."""
    at = clock.database_now()
    _, result = find_result(request, slug, campaign)
    content: bytes | str
    if (name, ending) == ("judgements", "json"):
        document = {
            "analyses": [
                {"systems": [a.first, a.second], "test_set": a.test_set, **a.document}
                for a in result.analyses
            ],
            "consistency": result.row.consistency if result.row else [],
        }
        content = json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
        content_type = "application/json; charset=utf-8"
    elif (name, ending) == ("judgements", "zip") and result.sees_items:
        names = run_names(request.user, result.campaign, at=at)
        content, content_type = export_zip(result.campaign, names), "application/zip"
    else:
        content_type, content = written_table(result, name, ending)
    response = HttpResponse(content, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{slug}-{name}.{ending}"'
    return response


def written_table(result: VisibleResult, name: str, ending: str) -> tuple[str, str]:
    tables = [*result.tables_of(), *result.paper_tables()]
    table = next((table for table in tables if table.name == name), None)
    if table is None or ending not in FORMATS:
        raise Http404("there is no such file")
    content_type, write = FORMATS[ending]
    return content_type, write(table)


@require_safe
def item(request: HttpRequest, slug: str, campaign: str, number: int) -> HttpResponse:
    at = clock.database_now()
    task, result = find_result(request, slug, campaign)
    row = get_object_or_404(
        Item.objects.select_related("test_set__gold_in_force", "pair__first", "pair__second"),
        campaign=result.campaign,
        number=number,
        kind=Item.Kind.PAIR,
        pair__in=result.campaign.pairs.counting(),
    )
    if row.pair is None or not may_see_items(request.user, result.campaign, [row.test_set], at=at):
        raise Http404("not for this viewer yet")
    names = pair_names(row.pair, run_names(request.user, result.campaign, at=at))
    previous_number, next_number = result.neighbours(row)
    context = {
        "task": task,
        "campaign": result.campaign,
        "item": row,
        "aggregated": result.aggregated(row),
        "is_contradicted": row in result.contradicted,
        "previous_number": previous_number,
        "next_number": next_number,
        "names": names,
        "comparison": TreeComparison(row, False, task.profile),
        "judgements": row.assignments.judged()
        .filter(annotator__excluded_at=None)
        .select_related("annotator")
        .order_by("annotator__pk"),
        "tags_form": TagsForm(initial={"decided_by": row.decided_by}),
        "organises": roles.organises(request.user, task),
    }
    return render(request, "judgements/item.html", context)


def find_result(request: HttpRequest, slug: str, campaign: str) -> tuple[Task, VisibleResult]:
    at = clock.database_now()
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    rows: dict[str, Campaign] = {row.public_id: row for row in visible_campaigns(request.user, task, at=at)}
    if campaign not in rows:
        raise Http404("there is no such campaign for this viewer")
    return task, visible_result(request.user, rows[campaign], at=at)
