"""Two pages for organisers: the visibility table, and previews."""

from __future__ import annotations

from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from sharedtask.competition.acts import ActForm, show
from sharedtask.competition.models import Task
from sharedtask.competition.organised_task import organised_task
from sharedtask.core import clock
from sharedtask.overview import preview
from sharedtask.overview.forms import PreviewForm
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
    context = {"task": task, "form": form, "moments": moments(task)}
    return show(request, "overview/preview.html", context, refused=refused, status=400)


def moments(task: Task) -> list[tuple[datetime, str]]:
    """The times at which visibility changes automatically."""
    events: list[tuple[datetime, str]] = []
    for phase in task.phases.prefetch_related("extensions"):
        events.append((phase.opens_at, f"{phase.title} opens"))
        if (closes_at := phase.closing_time()) is not None:
            events.append((closes_at, f"{phase.title} closes"))
    for test_set in task.test_sets.all():
        if test_set.revealed_at:
            events.append((test_set.revealed_at, f"{test_set.code} is revealed"))
        if test_set.inputs_released_at:
            events.append((test_set.inputs_released_at, f"the input of {test_set.code} is released"))
    return sorted(events)


@require_POST
def begin(request: HttpRequest, slug: str) -> HttpResponse:
    task = organised_task(request, slug)
    form = PreviewForm(request.POST, task=task)
    if not form.is_valid():
        return form_page(request, task, refused=form)
    preview.begin(request, task=task, **form.cleaned_data)
    return redirect(task)


@require_POST
def end(request: HttpRequest, slug: str) -> HttpResponse:
    """Ending a preview needs no permission: the session belongs to the user."""
    preview.end(request)
    return redirect("task", slug=slug)
