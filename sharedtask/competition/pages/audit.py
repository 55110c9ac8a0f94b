"""The audit log of a task, newest entries first, in pages."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from sharedtask.competition import task_access
from sharedtask.competition.audit_actions import action_label

PAGE_SIZE = 50


@login_required
@require_safe
def audit(request: HttpRequest, slug: str) -> HttpResponse:
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    if not task_access.may_see_audit_log(request.user, task):
        raise Http404("the audit log is for organisers")
    action = request.GET.get("action", "")
    entries = task.audit.filter(action=action) if action else task.audit.all()
    actions = task.audit.order_by("action").values_list("action", flat=True).distinct()
    page = Paginator(entries, PAGE_SIZE).get_page(request.GET.get("page"))
    choices = [(name, action_label(name)) for name in actions]
    context = {"task": task, "page": page, "choices": choices, "action": action}
    return render(request, "competition/audit.html", context)
