"""Two pages for organisers: the table of who sees what, and the rehearsal of a moment."""

from __future__ import annotations

from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from sharedtask.competition.acts import ActForm, show
from sharedtask.competition.models import Task
from sharedtask.competition.organised_task import organised_task
from sharedtask.core import clock
from sharedtask.overview import rehearsal
from sharedtask.overview.forms import RehearsalForm
from sharedtask.visibility.table import TABLE
from sharedtask.visibility.terms import Role


@require_safe
def table(request: HttpRequest, slug: str) -> HttpResponse:
    task = organised_task(request, slug)
    rows = [
        {"thing": thing, "about": row.about, "cells": [row.cells[role].words for role in Role]}
        for thing, row in TABLE.items()
    ]
    context = {"task": task, "roles": list(Role), "rows": rows}
    return render(request, "visibility/table.html", context)


@require_safe
def rehearse(request: HttpRequest, slug: str) -> HttpResponse:
    task = organised_task(request, slug)
    return rehearsal_page(request, task)


def rehearsal_page(request: HttpRequest, task: Task, *, refused: ActForm | None = None) -> HttpResponse:
    form = RehearsalForm.refused_or_new("", refused, task=task, initial={"at": clock.database_now()})
    context = {"task": task, "form": form, "moments": moments(task)}
    return show(request, "visibility/preview.html", context, refused=refused, status=400)


def moments(task: Task) -> list[tuple[datetime, str]]:
    """The times at which the clock alone changes what people see."""
    found: list[tuple[datetime, str]] = []
    for phase in task.phases.prefetch_related("extensions"):
        found.append((phase.opens_at, f"{phase.title} opens"))
        if (closes_at := phase.closing_time()) is not None:
            found.append((closes_at, f"{phase.title} closes"))
    for test_set in task.test_sets.all():
        if test_set.revealed_at:
            found.append((test_set.revealed_at, f"{test_set.code} becomes known"))
        if test_set.inputs_released_at:
            found.append((test_set.inputs_released_at, f"the input of {test_set.code} is out"))
    return sorted(found)


@require_POST
def begin(request: HttpRequest, slug: str) -> HttpResponse:
    task = organised_task(request, slug)
    form = RehearsalForm(request.POST, task=task)
    if not form.is_valid():
        return rehearsal_page(request, task, refused=form)
    rehearsal.begin(request, task=task, **form.cleaned_data)
    return redirect(task)


@require_POST
def end(request: HttpRequest, slug: str) -> HttpResponse:
    """Ending needs no right: whoever has a rehearsal in the session may leave it."""
    rehearsal.end(request)
    return redirect("task", slug=slug)
