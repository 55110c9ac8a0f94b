"""Learning curves: the series of a task, the page of each series, and its downloads."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from evaluation.curves.analysis import Analysis, with_score
from evaluation.curves.average import AVERAGE
from evaluation.curves.classes import DEFAULT
from evaluation.curves.document import analysis_document
from evaluation.curves.plot import plot
from evaluation.curves.tables import CRITERION_TITLES, SCORE, all_tables
from evaluation.ranking.render import as_csv, as_latex
from evaluation.ranking.tables.table import Table
from sharedtask.accounts.roles import organises
from sharedtask.competition import task_access
from sharedtask.competition.models import Task
from sharedtask.core import clock
from sharedtask.curves.charts import (
    WIDTHS,
    ChartWidth,
    class_chart,
    complexity_chart,
    drawn_systems,
    part_chart,
    systems_elsewhere,
)
from sharedtask.curves.query import SeriesQuery, parse_query
from sharedtask.curves.sorting import sort_table
from sharedtask.curves.visible import VisibleSeries, visible_series
from sharedtask.software.availability import is_available
from sharedtask.standings.page_cache.decorator import cached_for_visitors
from sharedtask.teams import team_access

TABLE_FORMATS: Mapping[str, tuple[str, Callable[[Table], str]]] = {
    "csv": ("text/csv; charset=utf-8", as_csv),
    "tex": ("application/x-tex; charset=utf-8", as_latex),
}
CHARTS: Mapping[str, Callable[[Analysis, ChartWidth], SafeString | None]] = {
    "parts": part_chart,
    "classes": class_chart,
    "complexity": complexity_chart,
}


@require_safe
@cached_for_visitors
def curves(request: HttpRequest, slug: str) -> HttpResponse:
    at = clock.database_now()
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    context = {
        "task": task,
        "at": at,
        "series": visible_series(request.user, task, at=at),
        "may_train": is_available()
        and (team_access.team_of(request.user, task) or organises(request.user, task)),
    }
    return render(request, "curves/curves.html", context)


@require_safe
@cached_for_visitors
def series(request: HttpRequest, slug: str, system: str, phase: str) -> HttpResponse:
    task, chosen = find_series(request, slug, system, phase)
    query = parse_query(request.GET)
    analyses = chosen.by(query.by)
    analysis = placed(query, query.choose(analyses))
    context = {
        "task": task,
        "series": chosen,
        "query": query,
        "published": request.GET,
        "metric": SCORE,
        "criteria": CRITERION_TITLES,
        "by": query.by,
        "default": DEFAULT,
        "sets": [each.name for each in analyses],
        "lacks_average": len(analyses) > 1 and AVERAGE not in [each.name for each in analyses],
        "analysis": analysis,
    }
    if analysis is not None:
        context |= {
            "charts": {
                name: {width.name: chart(analysis, width) for width in WIDTHS}
                for name, chart in CHARTS.items()
            },
            "systems": drawn_systems(analysis),
            "systems_elsewhere": systems_elsewhere(analysis),
            "tables": [sort_table(table, query.sort) for table in all_tables(analysis)],
        }
    return render(request, "curves/series.html", context)


@require_safe
@cached_for_visitors
def download(
    request: HttpRequest, slug: str, system: str, phase: str, name: str, ending: str
) -> HttpResponse:
    """One table, or everything as JSON or as a drawing."""
    _, chosen = find_series(request, slug, system, phase)
    query = parse_query(request.GET)
    analysis = placed(query, query.choose(chosen.by(query.by)))
    if analysis is None or query.test_set not in ("", analysis.name):
        raise Http404("there is no such analysis, and that of another test set is not it")
    content_type, text = write(analysis, name, ending)
    response = HttpResponse(text, content_type=content_type)
    filename = f"{slug}-{analysis.name}-{query.by}-{name}.{ending}"
    response["Content-Disposition"] = f'attachment; filename="{filename}"'
    return response


def placed(query: SeriesQuery, analysis: Analysis | None) -> Analysis | None:
    """With the published score that the address gives, unless a system has its name."""
    if analysis is None or query.score is None or query.score[0] in analysis.systems:
        return analysis
    return with_score(analysis, *query.score)


def write(analysis: Analysis, name: str, ending: str) -> tuple[str, str]:
    if name == "curves" and ending == "json":
        document = json.dumps(analysis_document(analysis), ensure_ascii=False, indent=2, allow_nan=False)
        return "application/json; charset=utf-8", document + "\n"
    if name == "curves" and ending == "svg":
        return "image/svg+xml", plot([analysis])
    table = next((table for table in all_tables(analysis) if table.name == name), None)
    if table is None or ending not in TABLE_FORMATS:
        raise Http404("there is no such file")
    content_type, render_table = TABLE_FORMATS[ending]
    return content_type, render_table(table)


def find_series(request: HttpRequest, slug: str, system: str, phase: str) -> tuple[Task, VisibleSeries]:
    at = clock.database_now()
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    for series in visible_series(request.user, task, at=at):
        if (series.row.system.public_id, series.row.phase.code) == (system, phase):
            return task, series
    raise Http404("there is no such series for this viewer")
