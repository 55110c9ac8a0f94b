"""Announcements, which are public, and the page on which organisers write them."""

from __future__ import annotations

from functools import partial

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from sharedtask.accounts import roles
from sharedtask.competition import announce as announcing
from sharedtask.competition import task_access
from sharedtask.competition.acts import act, render_act_page
from sharedtask.competition.forms import AnnouncementForm
from sharedtask.competition.organised_task import organised_task
from sharedtask.core import clock


@require_safe
def announcements(request: HttpRequest, slug: str) -> HttpResponse:
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    published = task.announcements.filter(at__lte=clock.database_now())
    context = {
        "task": task,
        "announcements": published,
        "organises": roles.organises(request.user, task),
    }
    return render(request, "competition/announcements.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def announce(request: HttpRequest, slug: str) -> HttpResponse:
    task = organised_task(request, slug)
    if request.method != "POST":
        return render_act_page(
            request, "competition/announce.html", {"task": task, "form": AnnouncementForm()}
        )
    form = AnnouncementForm(request.POST)
    done = "The announcement has been published, and all teams have been notified."
    if act(request, form, partial(announcing.announce, task=task), done=done):
        return redirect("announcements", slug=slug)
    return render_act_page(request, "competition/announce.html", {"task": task, "form": form}, refused=form)
