"""The page of organisers about software: what runs now, what is stored, who was granted what."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib.auth.decorators import login_required
from django.db.models import Count, Q, Sum
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST, require_safe

from sharedtask.accounts.current_user import current_user
from sharedtask.accounts.roles import role_of
from sharedtask.competition.acts import ActForm, ReasonForm, act, render_act_page
from sharedtask.competition.models import Task
from sharedtask.competition.organised_task import organised_task
from sharedtask.core import clock
from sharedtask.software.availability import unavailable_sentence
from sharedtask.software.describe import describe
from sharedtask.software.earlier import earlier_versions, enter_earlier_system
from sharedtask.software.execution_access import execution_permissions
from sharedtask.software.forms import EarlierSystemForm, ReleaseLogForm, ResourcesForm, StartForTeamForm
from sharedtask.software.gather import executions_of, places_in_queue
from sharedtask.software.grant import grant_resources
from sharedtask.software.limits import MEBIBYTE
from sharedtask.software.models import Execution, ResourceGrant, StoredImage, SystemVersion
from sharedtask.software.pages.execution import RELATED, execution_page
from sharedtask.software.release_log import release_log
from sharedtask.software.replicate import request_replication
from sharedtask.software.request_execution import request_execution
from sharedtask.software.stop import restart, stop_by_organiser

LATEST = 100

ACTS: dict[str, tuple[type[ActForm], Callable[..., Execution | None]]] = {
    "stop": (ReasonForm, stop_by_organiser),
    "restart": (ReasonForm, restart),
    "replicate": (ReasonForm, request_replication),
    "release-log": (ReleaseLogForm, release_log),
}


@login_required
@require_safe
def software(request: HttpRequest, slug: str) -> HttpResponse:
    return software_page(request, organised_task(request, slug))


def software_page(request: HttpRequest, task: Task, *, refused: ActForm | None = None) -> HttpResponse:
    at = clock.database_now()
    retained = Q(images__state__in=[StoredImage.State.RECEIVED, StoredImage.State.READY])
    context: dict[str, Any] = {
        "task": task,
        "at": at,
        "unavailable": unavailable_sentence(),
        "rows": rows_of(request, task),
        "storage": task.teams.filter(images__isnull=False)
        .annotate(
            image_count=Count("images", filter=retained), bytes=Sum("images__size_bytes", filter=retained)
        )
        .order_by("name"),
        "storage_limit": task.software_storage_megabytes * MEBIBYTE,
        "grants": ResourceGrant.objects.filter(team__task=task).select_related("team", "granted_by"),
        **{name: make(request, task, refused) for name, make in FORMS.items()},
    }
    return render_act_page(request, "software/organise.html", context, refused=refused)


def rows_of(request: HttpRequest, task: Task) -> list[dict[str, Any]]:
    at = clock.database_now()
    places, role = places_in_queue(), role_of(request.user, task)
    rows = []
    for execution in executions_of(task)[:LATEST]:
        permissions = execution_permissions(request.user, execution, at=at, role=role)
        view = describe(execution, permissions, ahead=places.get(execution.pk, 0), at=at)
        rows.append({"execution": execution, "view": view})
    return rows


def grant_form(request: HttpRequest, task: Task, refused: ActForm | None) -> ActForm:
    return ResourcesForm.refused_or_new("grant", refused, teams=list(task.teams.all()))


def start_form(request: HttpRequest, task: Task, refused: ActForm | None) -> ActForm:
    return StartForTeamForm.refused_or_new("start", refused, **start_choices(task))


def start_choices(task: Task) -> dict[str, Any]:
    versions = SystemVersion.objects.filter(system__team__task=task, image__state=StoredImage.State.READY)
    related = versions.select_related("system__team__task", "image")
    return {"versions": list(related), "phases": list(task.phases.filter(software=True))}


def earlier_form(request: HttpRequest, task: Task, refused: ActForm | None) -> ActForm:
    versions = list(earlier_versions(task, current_user(request)))
    return EarlierSystemForm.refused_or_new("earlier", refused, versions=versions)


FORMS = {"grant_form": grant_form, "start_form": start_form, "earlier_form": earlier_form}


@login_required
@require_POST
def grant(request: HttpRequest, slug: str) -> HttpResponse:
    task = organised_task(request, slug)
    form = ResourcesForm(request.POST, key="grant", teams=list(task.teams.all()))
    if act(request, form, grant_resources, done="The resources have been granted."):
        return redirect("organise-software", slug=slug)
    return software_page(request, task, refused=form)


@login_required
@require_POST
def start(request: HttpRequest, slug: str) -> HttpResponse:
    task = organised_task(request, slug)
    form = StartForTeamForm(request.POST, key="start", **start_choices(task))
    if result := act(request, form, request_execution):
        return redirect(result.value)
    return software_page(request, task, refused=form)


@login_required
@require_POST
def earlier(request: HttpRequest, slug: str) -> HttpResponse:
    task = organised_task(request, slug)
    versions = list(earlier_versions(task, current_user(request)))
    form = EarlierSystemForm(request.POST, key="earlier", versions=versions)
    if act(request, form, partial(enter_earlier_system, task=task), done="The system has been entered."):
        return redirect("organise-software", slug=slug)
    return software_page(request, task, refused=form)


@login_required
@require_POST
def act_on(request: HttpRequest, slug: str, public_id: str, act: str) -> HttpResponse:
    task = organised_task(request, slug)
    if act not in ACTS:
        raise Http404("no such act")
    row = get_object_or_404(Execution.objects.select_related(*RELATED), task=task, public_id=public_id)
    return perform_act(request, row, act)


def perform_act(request: HttpRequest, row: Execution, name: str) -> HttpResponse:
    form_class, function = ACTS[name]
    form = form_class(request.POST, key=name)
    if result := act(request, form, partial(function, execution=row)):
        return redirect(result.value or row)
    return execution_page(request, row, refused=form)
