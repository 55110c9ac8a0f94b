"""Two pages for organisers: the visibility table, and previews."""

from __future__ import annotations

from functools import partial

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from sharedtask.competition.acts import ActForm, act, render_act_page
from sharedtask.competition.models import Task
from sharedtask.competition.organised_task import organised_task
from sharedtask.core import clock
from sharedtask.overview import preview
from sharedtask.overview.forms import PreviewForm
from sharedtask.overview.scheduled_events import scheduled_events
from sharedtask.visibility.table import TABLE
from sharedtask.visibility.terms import Role


@require_safe
def table(request: HttpRequest, slug: str) -> HttpResponse:
    task = organised_task(request, slug)
    rows = [
        {"thing": thing, "about": row.about, "cells": [row.cells[role].text for role in Role]}
        for thing, row in TABLE.items()
    ]
    context = {"task": task, "roles": list(Role), "rows": rows}
    return render(request, "overview/visibility.html", context)


@require_safe
def preview_form(request: HttpRequest, slug: str) -> HttpResponse:
    task = organised_task(request, slug)
    return form_page(request, task)


def form_page(request: HttpRequest, task: Task, *, refused: ActForm | None = None) -> HttpResponse:
    form = PreviewForm.refused_or_new("", refused, task=task, initial={"at": clock.database_now()})
    events = scheduled_events(task, task.phases.prefetch_related("extensions"))
    return render_act_page(
        request, "overview/preview.html", {"task": task, "form": form, "events": events}, refused=refused
    )


@require_POST
def begin(request: HttpRequest, slug: str) -> HttpResponse:
    task = organised_task(request, slug)
    form = PreviewForm(request.POST, task=task)
    if act(request, form, partial(preview.begin, request, task=task)):
        return redirect(task)
    return form_page(request, task, refused=form)


@require_POST
def end(request: HttpRequest, slug: str) -> HttpResponse:
    """Ending a preview needs no permission: the session belongs to the user."""
    preview.end(request)
    return redirect("task", slug=slug)
