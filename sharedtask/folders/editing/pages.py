"""The pages Settings of a task: an overview, and a form for each part that can be edited."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial, wraps
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


@dataclass(frozen=True, kw_only=True)
class Editor:
    """The form of one part, and what its page says about the part."""

    form: Callable[..., EditForm]
    part: Part
    title: str
    button: str = "Save"
    context: Mapping[str, Any] = field(default_factory=dict)


FindEditor = Callable[..., Editor]


def edits(find_editor: FindEditor) -> Callable[..., HttpResponse]:
    """The view of a form: `find_editor` takes the task and the code in the address, if there is one."""

    @login_required
    @require_http_methods(["GET", "HEAD", "POST"])
    @wraps(find_editor)
    def view(request: HttpRequest, slug: str, **codes: str) -> HttpResponse:
        task = organised_task(request, slug)
        return edit_page(request, task, find_editor(task, **codes))

    return view


@edits
def texts(task: Task) -> Editor:
    return Editor(form=TextsForm, part=Texts(), title="Texts")


@edits
def software(task: Task) -> Editor:
    return Editor(form=SoftwareLimitsForm, part=SoftwareLimits(), title="Limits of software")


@edits
def downloads(task: Task) -> Editor:
    return Editor(form=DownloadsForm, part=Downloads(), title="Data downloads")


@edits
def groups(task: Task) -> Editor:
    return Editor(form=GroupsForm, part=Groups(), title="Groups")


@edits
def release_times(task: Task) -> Editor:
    return Editor(form=ReleaseTimesForm, part=ReleaseTimes(), title="Release times")


@edits
def test_set(task: Task, code: str) -> Editor:
    row = get_object_or_404(task.test_sets, code=code)
    return Editor(
        form=partial(TestSetForm, visible=visible_of_test_set(row, at=clock.database_now())),
        part=TestSetPart(code),
        title=f"Test set {code}",
        context={"test_set": row},
    )


@edits
def phase(task: Task, code: str) -> Editor:
    row = get_object_or_404(task.phases, code=code)
    has_runs = row.runs.exists()
    return Editor(
        form=partial(PhaseForm, has_runs=has_runs),
        part=PhasePart(code),
        title=row.title,
        context={"phase": row, "has_runs": has_runs},
    )


@edits
def new_phase(task: Task) -> Editor:
    return Editor(form=NewPhaseForm, part=NewPhase(), title="New phase")


@edits
def remove_phase(task: Task, code: str) -> Editor:
    row = get_object_or_404(task.phases, code=code)
    return Editor(form=RemovePhaseForm, part=RemovedPhase(code), title=f"Remove {row.title}", button="Remove")


def edit_page(request: HttpRequest, task: Task, editor: Editor) -> HttpResponse:
    make_form = partial(editor.form, values=describe(task).values, part=editor.part)
    refused = None
    if request.method == "POST":
        refused = make_form(request.POST)
        if act(request, refused, partial(edit_task, task=task), done=SAVED):
            return redirect("settings", slug=task.slug)
        refused.explain(describe(task).values)
    context = {
        **editor.context,
        "task": task,
        "title": editor.title,
        "button": editor.button,
        "form": refused or make_form(),
    }
    return render_act_page(request, "folders/settings_form.html", context, refused=refused)
