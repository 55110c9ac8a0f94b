"""Announcements: everybody reads them, organisers write them."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from sharedtask.accounts import roles
from sharedtask.competition import task_access
from sharedtask.competition.announce import announce as write
from sharedtask.competition.organised import organised
from sharedtask.competition.pages.acting import attempt, who
from sharedtask.core import clock


@require_safe
def announcements(request: HttpRequest, slug: str) -> HttpResponse:
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    written = task.announcements.filter(at__lte=clock.database_now())
    context = {
        "task": task,
        "announcements": written,
        "organises": roles.organises(request.user, task),
    }
    return render(request, "competition/announcements.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def announce(request: HttpRequest, slug: str) -> HttpResponse:
    task = organised(request, slug)
    subject, text = request.POST.get("subject", ""), request.POST.get("text", "")
    if request.method == "POST" and attempt(
        request,
        lambda: write(task=task, by=who(request), subject=subject, text=text),
        "Everybody can read it now, and all teams are told.",
    ):
        return redirect("announcements", slug=slug)
    return render(request, "competition/announce.html", {"task": task, "subject": subject, "text": text})
