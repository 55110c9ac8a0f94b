"""The audit log of a task, latest first, a page at a time."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from sharedtask.competition import task_access

ON_A_PAGE = 50


@login_required
@require_safe
def audit(request: HttpRequest, slug: str) -> HttpResponse:
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    if not task_access.audit(request.user, task):
        raise Http404("the log is for organisers")
    action = request.GET.get("action", "")
    entries = task.audit.filter(action=action) if action else task.audit.all()
    actions = task.audit.order_by("action").values_list("action", flat=True).distinct()
    page = Paginator(entries, ON_A_PAGE).get_page(request.GET.get("page"))
    context = {"task": task, "page": page, "actions": actions, "action": action}
    return render(request, "competition/audit.html", context)
