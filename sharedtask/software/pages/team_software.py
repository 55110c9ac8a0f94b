"""The page on which a team submits software: its versions, stored images and executions."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST, require_safe

from sharedtask.competition import task_access
from sharedtask.competition.acts import ActForm, act, flash_refusal, render_act_page
from sharedtask.competition.models import Phase, Task
from sharedtask.competition.tracks import track_codes, track_title
from sharedtask.core import clock
from sharedtask.software.availability import unavailable_sentence
from sharedtask.software.forms import StartForm
from sharedtask.software.gather import open_phases, versions_of
from sharedtask.software.limits import MEBIBYTE, limits_of
from sharedtask.software.models import StoredImage
from sharedtask.software.quota import software_quota
from sharedtask.software.remove_image import remove_image
from sharedtask.software.request_execution import request_execution
from sharedtask.teams import team_access
from sharedtask.teams.models import Team


@login_required
@require_safe
def software(request: HttpRequest, slug: str) -> HttpResponse:
    return software_page(request, *own_team(request, slug))


def own_team(request: HttpRequest, slug: str) -> tuple[Task, Team]:
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    team = team_access.team_of(request.user, task)
    if team is None:
        raise Http404("for members of a team")
    return task, team


def software_page(
    request: HttpRequest, task: Task, team: Team, *, refused: ActForm | None = None
) -> HttpResponse:
    at = clock.database_now()
    phases = open_phases(task, team, at=at)
    versions = versions_of(team)
    ready = [version for version in versions if version.is_ready]
    images = StoredImage.objects.filter(team=team).with_use()
    context: dict[str, Any] = {
        "task": task,
        "team": team,
        "at": at,
        "unavailable": unavailable_sentence(),
        "phases": [
            (", ".join(filter(None, (phase.title, track_title(task, track)))), quota)
            for phase in phases
            for track in track_codes(phase)
            for quota in [software_quota(phase, team, track, at=at)]
        ],
        "software_phases": task.phases.filter(software=True),
        "systems": team.systems.filter(withdrawn_at=None),
        "versions": versions,
        "images": images,
        "stored_bytes": images.retained().total_bytes(),
        "storage_limit": task.software_storage_megabytes * MEBIBYTE,
        "largest_image": settings.IMAGE_MAX_BYTES,
        "limits": limits_of(team),
        "is_run_at_once": any(phase.kind == Phase.Kind.DEVELOPMENT for phase in phases),
        "executions": team.executions.select_related("version__system", "phase", "run")[:50],
        "start_form": StartForm.refused_or_new("start", refused, versions=ready, phases=phases),
    }
    return render_act_page(request, "software/team_software.html", context, refused=refused)


@login_required
@require_POST
def start(request: HttpRequest, slug: str) -> HttpResponse:
    task, team = own_team(request, slug)
    phases = open_phases(task, team, at=clock.database_now())
    form = StartForm(request.POST, key="start", versions=versions_of(team), phases=phases)
    if result := act(request, form, request_execution):
        return redirect(result.value)
    return software_page(request, task, team, refused=form)


@login_required
@require_POST
def remove(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    task, team = own_team(request, slug)
    image = get_object_or_404(StoredImage, team=team, public_id=public_id)
    form = ActForm(request.POST, key="remove")
    if not act(request, form, partial(remove_image, image=image), done="The image has been removed."):
        flash_refusal(request, form)
    return redirect("software", slug=task.slug)
