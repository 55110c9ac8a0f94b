"""Software of a team: its images, and the executions that become runs."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from ninja import Router, Schema
from pydantic import Field

from sharedtask.api.authentication import MAY_READ, MAY_SUBMIT, owner_of
from sharedtask.api.resources.runs import SystemRef
from sharedtask.api.viewing import absolute, json_response, without_nul
from sharedtask.competition.models import Phase
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.software.describe import describe
from sharedtask.software.execution_access import execution_permissions
from sharedtask.software.gather import open_phases
from sharedtask.software.models import Execution, StoredImage, SystemVersion
from sharedtask.software.pages.execution import find_execution
from sharedtask.software.request_execution import request_execution
from sharedtask.submissions.destination import only_track
from sharedtask.teams import team_access

router = Router()


class ImageRefusalOut(Schema):
    id: str
    message: str
    hint: str


class ExecutionOut(Schema):
    id: str
    url: str
    image: str
    version: int = Field(description="Number of the version of the system.")
    system: SystemRef
    purpose: str = Field(description="`run` if its outputs become a run.")
    phase: str = Field(description="Its code; empty for an experiment.")
    track: str = Field(description="Its code; empty in a task without tracks.")
    requested_at: datetime = Field(description="Decides whether it was in time.")
    state: str = Field(description="queued, starting, running, ended, done, stopped or failed.")
    sentence: str
    is_final: bool
    run: str | None = Field(description="Id of the run that its outputs have become.")


class ImageOut(Schema):
    id: str
    url: str
    system: SystemRef
    version: int
    filename: str
    received_at: datetime
    state: str = Field(description="received, ready, refused, failed or removed.")
    refusal: ImageRefusalOut | None
    executions: list[ExecutionOut] = Field(description="The latest first.")


class StartIn(Schema):
    phase: str = Field("", max_length=40, description="May be left out while only one accepts software.")
    track: str = Field("", max_length=40, description="May be left out where the phase has only one.")


@router.get("/images/{image}", response=ImageOut, auth=MAY_READ, summary="An image of your team")
def show_image(request: HttpRequest, image: str) -> dict[str, Any]:
    version = own_version(request, image)
    related = ("version__system__team", "version__image", "phase", "run", "task", "team", "amends")
    executions = version.executions.select_related(*related).prefetch_related("task__test_sets")
    row = version.image
    return {
        "id": row.public_id,
        "url": absolute(reverse("software", args=[version.system.team.task.slug])),
        "system": {"id": version.system.public_id, "name": version.system.name},
        "version": version.number,
        "filename": row.filename,
        "received_at": row.received_at,
        "state": row.state,
        "refusal": row.refusal if row.state == StoredImage.State.REFUSED else None,
        "executions": [execution_out(request, execution) for execution in executions],
    }


def own_version(request: HttpRequest, image: str) -> SystemVersion:
    """Of a system of the viewer's own team; 404 for everybody else."""
    versions = SystemVersion.objects.select_related("image", "system__team__task")
    version = versions.filter(image__public_id=without_nul(image)).order_by("pk").first()
    team = team_access.team_of(request.user, version.system.team.task) if version else None
    if version is None or team is None or team.pk != version.system.team_id:
        raise Http404("no such image of this viewer's team")
    return version


@router.post(
    "/images/{image}/executions", response={201: ExecutionOut}, auth=MAY_SUBMIT, summary="Run an image"
)
def start_execution(request: HttpRequest, image: str, body: StartIn | None = None) -> HttpResponse:
    """On the inputs of a phase; the time of this request decides whether it was in time."""
    at = clock.database_now()
    wanted = body or StartIn(phase="", track="")
    version = own_version(request, image)
    phase = chosen_phase(version, without_nul(wanted.phase), at=at)
    track = wanted.track or only_track(phase)
    execution = request_execution(version=version, phase=phase, track=track, by=owner_of(request), at=at)
    return json_response(
        ExecutionOut, execution_out(request, find_execution(request, execution.public_id)), status=201
    )


def chosen_phase(version: SystemVersion, code: str, *, at: datetime) -> Phase:
    team = version.system.team
    if code:
        phases = list(team.task.phases.begun(at=at).filter(code=code).select_related("task"))
    else:
        phases = open_phases(team.task, team, at=at)
    if len(phases) != 1:
        choices = ", ".join(phase.code for phase in open_phases(team.task, team, at=at))
        raise Refusal(
            "upload-without-phase",
            f"Please choose one of the phases that accept software now: {choices or 'there is none'}.",
        )
    return phases[0]


@router.get("/executions/{execution}", response=ExecutionOut, auth=MAY_READ, summary="An execution")
def show_execution(request: HttpRequest, execution: str) -> dict[str, Any]:
    """As far as its page shows it to you."""
    return execution_out(request, find_execution(request, without_nul(execution)))


def execution_out(request: HttpRequest, row: Execution) -> dict[str, Any]:
    at = clock.database_now()
    permissions = execution_permissions(request.user, row, at=at)
    ahead = Execution.objects.ahead_of(row) if row.state == Execution.State.QUEUED else 0
    return {
        "id": row.public_id,
        "url": absolute(row.get_absolute_url()),
        "image": row.version.image.public_id,
        "version": row.version.number,
        "system": {"id": row.version.system.public_id, "name": row.version.system.name},
        "purpose": row.purpose,
        "phase": row.phase.code if row.phase else "",
        "track": row.track,
        "requested_at": row.requested_at,
        "state": row.state,
        "sentence": describe(row, permissions, ahead=ahead, at=at).sentence,
        "is_final": row.is_final,
        "run": row.run.public_id if row.run else None,
    }
