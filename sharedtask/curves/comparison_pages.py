"""The page that compares series under the partition of a named reference series, and its downloads."""

from __future__ import annotations

import json

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from evaluation.curves.comparison import ORDER
from evaluation.curves.document import comparison_document
from evaluation.curves.tables import CRITERION_TITLES
from sharedtask.competition import task_access
from sharedtask.competition.models import Task
from sharedtask.core import clock
from sharedtask.curves.charts import WIDTHS, comparison_chart
from sharedtask.curves.compare import SeriesComparison, compare_series
from sharedtask.curves.pages import TABLE_FORMATS
from sharedtask.curves.sorting import sort_table
from sharedtask.curves.visible import visible_series
from sharedtask.standings.page_cache.decorator import cached_for_visitors


@require_safe
@cached_for_visitors
def comparison(request: HttpRequest, slug: str) -> HttpResponse:
    task, compared = find_comparison(request, slug)
    sort = request.GET.get("sort", "")
    context = {
        "task": task,
        "comparison": compared,
        "criteria": CRITERION_TITLES,
        "tables": [sort_table(table, sort) for table in compared.tables] if compared else [],
        "charts": draw_charts(compared) if compared else {},
    }
    return render(request, "curves/comparison.html", context)


def draw_charts(compared: SeriesComparison) -> dict[str, dict[str, SafeString | None]]:
    """By part and width; a part that no word belongs to has none."""
    charts = {
        part: {width.name: comparison_chart(compared.scores, part, width) for width in WIDTHS}
        for part in ORDER
    }
    return {part: widths for part, widths in charts.items() if any(widths.values())}


@require_safe
@cached_for_visitors
def download_comparison(request: HttpRequest, slug: str, name: str, ending: str) -> HttpResponse:
    """One table, or all scores as JSON."""
    _, compared = find_comparison(request, slug)
    if compared is None:
        raise Http404("there is nothing to compare")
    content_type, text = write(compared, name, ending)
    response = HttpResponse(text, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{slug}-series-{name}.{ending}"'
    return response


def write(compared: SeriesComparison, name: str, ending: str) -> tuple[str, str]:
    if (name, ending) == ("comparison", "json"):
        document = {
            "phase": compared.phase.code,
            "by": compared.by,
            "test_set": compared.test_set,
            "reference": compared.reference.name,
            "scores": comparison_document(compared.scores),
        }
        text = json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)
        return "application/json; charset=utf-8", text + "\n"
    tables = {table.name: table for table in compared.tables}
    if name not in tables or ending not in TABLE_FORMATS:
        raise Http404("there is no such file")
    content_type, render_table = TABLE_FORMATS[ending]
    return content_type, render_table(tables[name])


def find_comparison(request: HttpRequest, slug: str) -> tuple[Task, SeriesComparison | None]:
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    return task, compare_series(visible_series(request.user, task, at=clock.database_now()), request.GET)
