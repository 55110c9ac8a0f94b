"""The task of a page for organisers. For everybody else the page does not exist (404)."""

from __future__ import annotations

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404

from sharedtask.accounts import roles
from sharedtask.competition import task_access
from sharedtask.competition.models import Task


def organised_task(request: HttpRequest, slug: str) -> Task:
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    if not roles.organises(request.user, task):
        raise Http404("for organisers only")
    return task
