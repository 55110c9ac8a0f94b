"""Series that the server trains, of your team or, for organisers, of a task; and acts as on their pages."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from ninja import Router, Schema
from pydantic import Field

from sharedtask.accounts.roles import organises
from sharedtask.api.authentication import MAY_READ, MAY_SUBMIT, owner_of
from sharedtask.api.resources.runs import SystemRef
from sharedtask.api.resources.software import own_version
from sharedtask.api.viewing import absolute, json_response, visible_task, without_nul
from sharedtask.competition.models import Phase, Task
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.curves.models import Training
from sharedtask.curves.training import access
from sharedtask.curves.training.describe import SampleView, TrainingView, describe, describe_all
from sharedtask.curves.training.request import request_training, training_data
from sharedtask.curves.training.stop import run_missing_samples, stop_training
from sharedtask.teams import team_access

router = Router()
MAX_LISTED = 50
MAX_SIZE = 10**8 - 1


class SampleOut(Schema):
    size: int = Field(description="Sentences of the training sample.")
    number: int
    status: Literal["waiting", "running", "scoring", "trained", "missing"]
    reason: str = Field(description="Why it is missing; else empty.")
    execution: str | None = Field(description="Id of the execution that was last requested for it.")
    run: str | None = Field(description="Id of the run that its outputs have become.")


class TrainingOut(Schema):
    id: str
    url: str
    series: str = Field(description="Address of the page with the learning curves.")
    system: SystemRef
    version: int
    phase: str
    requested_at: datetime
    state: Literal["under way", "ended", "stopped"]
    sentence: str
    problem: str = Field(description="Why the server has stopped it; else empty.")
    test_sets: list[str]
    sizes: list[int]
    samples: list[SampleOut]


class TrainingsOut(Schema):
    items: list[TrainingOut] = Field(description="The latest first, at most 50.")


class TrainIn(Schema):
    phase: str = Field("", max_length=40, description="May be left out while only one has training data.")
    sizes: list[Annotated[int, Field(ge=1, le=MAX_SIZE)]] = Field(
        min_length=3, max_length=100, description="Training sentences, in increasing order."
    )
    samples: int = Field(1, ge=1, le=100, description="Of each size.")


@router.get(
    "/tasks/{task}/trainings", response=TrainingsOut, auth=MAY_READ, summary="Series trained by the server"
)
def list_trainings(request: HttpRequest, task: str) -> dict[str, Any]:
    row = visible_task(request, task)
    trainings = list(visible_trainings(request, row)[:MAX_LISTED])
    views = describe_all(trainings)
    return {"items": [training_out(*pair) for pair in zip(trainings, views, strict=True)]}


def visible_trainings(request: HttpRequest, task: Task) -> QuerySet[Training]:
    rows = access.with_related(Training.objects.filter(phase__task=task))
    if organises(request.user, task):
        return rows
    team = team_access.team_of(request.user, task)
    return rows.filter(version__system__team=team) if team else rows.none()


@router.post(
    "/images/{image}/trainings", response={201: TrainingOut}, auth=MAY_SUBMIT, summary="Train an image"
)
def start_training(request: HttpRequest, image: str, body: TrainIn) -> HttpResponse:
    """On samples of the training data of a phase; every sample becomes a run of a series."""
    version = own_version(request, image)
    training = request_training(
        version=version,
        phase=chosen_phase(version.system.team.task, without_nul(body.phase)),
        sizes=body.sizes,
        samples=body.samples,
        by=owner_of(request),
    )
    return json_response(TrainingOut, training_out(training, describe(training)), status=201)


def chosen_phase(task: Task, code: str) -> Phase:
    at = clock.database_now()
    begun = list(task.phases.begun(at=at).select_related("task"))
    phases = [phase for phase in begun if (phase.code == code if code else training_data(phase, at=at))]
    if len(phases) != 1:
        choices = ", ".join(phase.code for phase in begun)
        raise Refusal(
            "training-without-phase", f"Please choose one of the phases that have begun: {choices or 'none'}."
        )
    return phases[0]


@router.get("/trainings/{training}", response=TrainingOut, auth=MAY_READ, summary="A trained series")
def show_training(request: HttpRequest, training: str) -> dict[str, Any]:
    row = find_training(request, training)
    return training_out(row, describe(row))


@router.post("/trainings/{training}/stop", response=TrainingOut, auth=MAY_SUBMIT, summary="Stop a training")
def stop(request: HttpRequest, training: str) -> dict[str, Any]:
    """What has been trained stays."""
    stop_training(training=find_own_training(request, training), by=owner_of(request))
    return show_training(request, training)


@router.post(
    "/trainings/{training}/continue", response=TrainingOut, auth=MAY_SUBMIT, summary="Continue a training"
)
def continue_training(request: HttpRequest, training: str) -> dict[str, Any]:
    """Samples that are missing or were stopped are run again."""
    run_missing_samples(training=find_own_training(request, training), by=owner_of(request))
    return show_training(request, training)


def find_training(request: HttpRequest, public_id: str) -> Training:
    row = access.with_related(Training.objects.filter(public_id=without_nul(public_id))).first()
    if row is None or not access.may_see(request.user, row):
        raise Http404("no such training for this viewer")
    return row


def find_own_training(request: HttpRequest, public_id: str) -> Training:
    """Organisers act on the site, with a reason."""
    row = find_training(request, public_id)
    team = team_access.team_of(request.user, row.phase.task)
    if team is None or team.pk != row.version.system.team_id:
        raise Http404("no such training of this viewer's team")
    return row


def training_out(row: Training, view: TrainingView) -> dict[str, Any]:
    system = row.version.system
    return {
        "id": row.public_id,
        "url": absolute(row.get_absolute_url()),
        "series": absolute(row.series_url),
        "system": {"id": system.public_id, "name": system.name},
        "version": row.version.number,
        "phase": row.phase.code,
        "requested_at": row.requested_at,
        "state": row.state,
        "sentence": view.sentence,
        "problem": row.problem,
        "test_sets": row.codes,
        "sizes": row.sizes,
        "samples": [sample_out(each) for _, views in view.rows for each in views],
    }


def sample_out(view: SampleView) -> dict[str, Any]:
    execution = view.sample.execution
    return {
        "size": view.sample.size,
        "number": view.sample.number,
        "status": view.status,
        "reason": view.reason,
        "execution": execution.public_id if execution else None,
        "run": execution.run.public_id if execution and execution.run else None,
    }
