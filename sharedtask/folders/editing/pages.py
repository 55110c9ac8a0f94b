"""The pages Settings of a task: an overview, and a form for each part that can be edited."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from sharedtask.competition.acts import act, render_act_page
from sharedtask.competition.late_releases import late_releases
from sharedtask.competition.models import Task
from sharedtask.competition.organised_task import organised_task
from sharedtask.core import clock
from sharedtask.folders.disclosure import disclosures
from sharedtask.folders.editing.description import describe
from sharedtask.folders.editing.edit_form import EditForm
from sharedtask.folders.editing.edit_task import edit_task, readable
from sharedtask.folders.editing.forms import (
    NewPhaseForm,
    PhaseForm,
    ReleaseTimesForm,
    RemovePhaseForm,
    SoftwareLimitsForm,
    TestSetForm,
    TextsForm,
)
from sharedtask.folders.editing.parts import (
    TEXTS,
    Downloads,
    Groups,
    NewPhase,
    Part,
    PhasePart,
    ReleaseTimes,
    RemovedPhase,
    SoftwareLimits,
    TestSetPart,
    Texts,
)
from sharedtask.folders.editing.row_forms import DownloadsForm, GroupsForm
from sharedtask.folders.editing.visible import visible_of_test_set

SAVED = "The changes have been saved. The next export of the folder contains them."
METHODS = ["GET", "HEAD", "POST"]


@login_required
@require_safe
def settings(request: HttpRequest, slug: str) -> HttpResponse:
    task = organised_task(request, slug)
    at = clock.database_now()
    folder = readable(describe(task))
    context = {
        "task": task,
        "at": at,
        "texts": [(TextsForm.base_fields[name].label, getattr(task, name)) for name in TEXTS],
        "test_sets": task.test_sets.all(),
        "phases": task.phases.all(),
        "late_releases": late_releases(task, at=at),
        "disclosures": disclosures(folder, at=at, now="Now") if folder is not None else [],
    }
    return render(request, "folders/settings.html", context)


@login_required
@require_http_methods(METHODS)
def texts(request: HttpRequest, slug: str) -> HttpResponse:
    task = organised_task(request, slug)
    return edit_page(request, task, TextsForm, Texts(), title="Texts")


@login_required
@require_http_methods(METHODS)
def downloads(request: HttpRequest, slug: str) -> HttpResponse:
    task = organised_task(request, slug)
    return edit_page(request, task, DownloadsForm, Downloads(), title="Data downloads")


@login_required
@require_http_methods(METHODS)
def groups(request: HttpRequest, slug: str) -> HttpResponse:
    task = organised_task(request, slug)
    return edit_page(request, task, GroupsForm, Groups(), title="Groups")


@login_required
@require_http_methods(METHODS)
def software(request: HttpRequest, slug: str) -> HttpResponse:
    task = organised_task(request, slug)
    return edit_page(request, task, SoftwareLimitsForm, SoftwareLimits(), title="Limits of software")


@login_required
@require_http_methods(METHODS)
def release_times(request: HttpRequest, slug: str) -> HttpResponse:
    task = organised_task(request, slug)
    return edit_page(request, task, ReleaseTimesForm, ReleaseTimes(), title="Release times")


@login_required
@require_http_methods(METHODS)
def test_set(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    task = organised_task(request, slug)
    row = get_object_or_404(task.test_sets, code=code)
    return edit_page(
        request,
        task,
        TestSetForm,
        TestSetPart(code),
        title=f"Test set {code}",
        context={"test_set": row},
        options={"visible": visible_of_test_set(row, at=clock.database_now())},
    )


@login_required
@require_http_methods(METHODS)
def phase(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    task = organised_task(request, slug)
    row = get_object_or_404(task.phases, code=code)
    has_runs = row.runs.exists()
    return edit_page(
        request,
        task,
        PhaseForm,
        PhasePart(code),
        title=row.title,
        context={"phase": row, "has_runs": has_runs},
        options={"has_runs": has_runs},
    )


@login_required
@require_http_methods(METHODS)
def new_phase(request: HttpRequest, slug: str) -> HttpResponse:
    task = organised_task(request, slug)
    return edit_page(request, task, NewPhaseForm, NewPhase(), title="New phase")


@login_required
@require_http_methods(METHODS)
def remove_phase(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    task = organised_task(request, slug)
    row = get_object_or_404(task.phases, code=code)
    return edit_page(
        request, task, RemovePhaseForm, RemovedPhase(code), title=f"Remove {row.title}", button="Remove"
    )


def edit_page(
    request: HttpRequest,
    task: Task,
    form_class: type[EditForm],
    part: Part,
    *,
    title: str,
    button: str = "Save",
    context: dict[str, Any] | None = None,
    options: dict[str, Any] | None = None,
) -> HttpResponse:
    """`options`: further arguments of the form."""
    make_form = partial(form_class, values=describe(task).values, part=part, **(options or {}))
    refused = None
    if request.method == "POST":
        refused = make_form(request.POST)
        if act(request, refused, partial(edit_task, task=task), done=SAVED):
            return redirect("settings", slug=task.slug)
        refused.explain(describe(task).values)
    context = (context or {}) | {
        "task": task,
        "title": title,
        "button": button,
        "form": refused or make_form(),
    }
    return render_act_page(request, "folders/settings_form.html", context, refused=refused)
