"""Pages of a task for its participants: its data, and frequently asked questions."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from sharedtask.competition import task_access
from sharedtask.competition.downloads import grouped_downloads


@require_safe
def data(request: HttpRequest, slug: str) -> HttpResponse:
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    context = {"task": task, "groups": grouped_downloads(task.downloads)}
    return render(request, "competition/data.html", context)


@require_safe
def faq(request: HttpRequest, slug: str) -> HttpResponse:
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    if not task.faq:
        raise Http404("the task has no frequently asked questions")
    return render(request, "competition/faq.html", {"task": task})
