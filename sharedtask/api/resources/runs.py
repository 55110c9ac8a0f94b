"""Runs: list, read, watch, create, and the acts of a team."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from ninja import Query, Router, Schema
from pydantic import Field

from sharedtask.accounts import roles
from sharedtask.api.authentication import MAY_READ, MAY_SUBMIT, owner_of
from sharedtask.api.pagination import Page, PageQuery, unknown_cursor
from sharedtask.api.receive_run import receive_run
from sharedtask.api.run_document import run_document
from sharedtask.api.viewing import absolute, json_response, visible_task, without_nul
from sharedtask.api.watch import MAX_SECONDS, wait_for_change
from sharedtask.competition.models import Task
from sharedtask.core import clock
from sharedtask.overview.run_page import run_context
from sharedtask.software.execution_access import execution_permissions
from sharedtask.software.models import Execution
from sharedtask.software.pages.execution import visible_log
from sharedtask.submissions import annotate, mark_official, run_access, withdraw
from sharedtask.submissions.models import Run
from sharedtask.submissions.run_list import RunFilters, runs_to_moderate
from sharedtask.teams import team_access

router = Router()


class SystemRef(Schema):
    id: str
    name: str


class IncidentOut(Schema):
    id: str
    title: str | None
    line: int | None
    found: str | None
    expected: str | None
    fatal: bool | None


class IncidentGroupOut(Schema):
    id: str
    count: int
    remedy: str
    shown: list[IncidentOut]


class FirstIncidentOut(Schema):
    id: str
    title: str
    line: int | None


class RunFileOut(Schema):
    test_set: str
    language: str
    state: str = Field(description="waiting, valid, scored, invalid or missing.")
    size: int | None
    inherited_from: str | None
    above_zero: bool | None
    scores: dict[str, float | None] = Field(description="By metric, as printed; empty where hidden.")
    incident_count: int | None
    incidents: list[IncidentGroupOut]
    first_incident: FirstIncidentOut | None = Field(description="Of software on an input that is not public.")


class RankOut(Schema):
    rank: int
    ranking: str
    url: str


class RefusalOut(Schema):
    id: str
    message: str
    found: str = ""
    expected: str = ""


class ReceiptOut(Schema):
    filename: str
    size: int | None
    sha256: str | None
    note: str
    status_reason: str
    amends: str | None
    is_official: bool
    can_mark: bool
    can_withdraw: bool
    refusal: RefusalOut | None = Field(description="Why the archive cannot be used.")
    messages: list[str]
    alarms: list[str]


class RunSummaryOut(Schema):
    id: str
    number: int
    url: str
    task: str
    phase: str
    track: str = Field(description="Its code; empty in a task without tracks.")
    team: str
    system: SystemRef
    received_at: datetime
    state: str = Field(description="received, checking, checked, scoring, scored, refused or failed.")
    status: str = Field(description="counts, withdrawn or rejected.")
    is_final: bool


class RunOut(RunSummaryOut):
    sentence: str
    done: int
    total: int
    version: str = Field(description="Changes with the state; for `events`.")
    training_size: int | None
    training_sample: int | None
    rank: RankOut | None
    averages: dict[str, float | None] = Field(description="By metric, as printed; empty where hidden.")
    files: list[RunFileOut]
    receipt: ReceiptOut | None = Field(description="For the team and organisers.")


class EventsOut(Schema):
    changed: bool
    run: RunOut


class LogOut(Schema):
    log: str


class WithdrawIn(Schema):
    reason: str = Field("", max_length=2000)


class NoteIn(Schema):
    note: str = Field(max_length=annotate.MAX_LENGTH)


class RunQuery(PageQuery):
    phase: str = Field("", max_length=40)
    state: str = Field("", max_length=20)
    status: str = Field("", max_length=20)
    team: str = Field("", max_length=32, description="For organisers.")


class WatchQuery(Schema):
    after: str = Field("", max_length=60, description="The last `version` that you received.")
    wait: int = Field(0, ge=0, le=MAX_SECONDS, description="Seconds.")


UPLOAD_FIELDS = {
    "file": {"type": "string", "format": "binary", "description": "An archive, or several .conllu files."},
    "phase": {"type": "string", "description": "May be left out while only one is open."},
    "track": {"type": "string", "description": "May be left out where the phase has only one."},
    "system": {"type": "string", "description": "The id of a system; otherwise the primary one."},
    "note": {"type": "string", "maxLength": annotate.MAX_LENGTH},
    "amends": {"type": "string", "description": "The id of a run whose other files are inherited."},
    "training_size": {"type": "integer", "minimum": 1},
    "training_sample": {"type": "integer", "minimum": 1},
}
UPLOAD_BODY = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {"type": "object", "required": ["file"], "properties": UPLOAD_FIELDS}
            }
        },
    }
}


@router.get(
    "/tasks/{task}/runs",
    response=Page[RunSummaryOut],
    auth=MAY_READ,
    url_name="runs",
    summary="Runs of your team; for organisers, of all teams",
)
def list_runs(request: HttpRequest, task: str, query: Annotated[RunQuery, Query()]) -> dict[str, Any]:
    at = clock.database_now()
    row = visible_task(request, task)
    runs = filtered_runs(request, row, query)
    if query.cursor:
        last = runs.filter(public_id=query.cursor).first()
        if last is None:
            raise unknown_cursor()
        runs = runs.filter(
            Q(received_at__lt=last.received_at)
            | Q(received_at=last.received_at, number__lt=last.number)
            | Q(received_at=last.received_at, number=last.number, pk__lt=last.pk)
        )
    chosen = list(runs.order_by("-received_at", "-number", "-pk")[: query.limit + 1])
    page = chosen[: query.limit]
    states = run_access.states_of_own_runs(request.user, row, page, at=at)
    names = team_access.names(request.user, row, at=at)
    return {
        "items": [run_summary(run, state, names) for run, state in states],
        "next": page[-1].public_id if len(chosen) > len(page) else None,
    }


def filtered_runs(request: HttpRequest, task: Task, query: RunQuery) -> QuerySet[Run]:
    if roles.organises(request.user, task):
        filters = RunFilters(phase=query.phase, team=query.team, state=query.state, status=query.status)
        return runs_to_moderate(task, filters).select_related("team", "system", "phase__task")
    team = team_access.team_of(request.user, task)
    runs = run_access.own_runs(request.user, task, team)
    if query.phase:
        runs = runs.filter(phase__code=query.phase)
    if query.status:
        runs = runs.filter(status=query.status)
    return runs


def run_summary(run: Run, state: str, names: team_access.Names) -> dict[str, Any]:
    return {
        "id": run.public_id,
        "number": run.number,
        "url": absolute(run.get_absolute_url()),
        "task": run.task.slug,
        "phase": run.phase.code,
        "track": run.track,
        "team": names.team(run.team),
        "system": {"id": run.system.public_id, "name": names.system(run.system, run.team)},
        "received_at": run.received_at,
        "state": state,
        "status": Run.Status.WITHDRAWN if run.is_withdrawn else run.status,
        "is_final": run.is_final or state == "checked",
    }


@router.post(
    "/tasks/{task}/runs",
    response={201: RunOut},
    auth=MAY_SUBMIT,
    url_name="runs",
    summary="Upload a run",
    openapi_extra=UPLOAD_BODY,
)
def create_run(request: HttpRequest, task: str) -> HttpResponse:
    """In one request. Large uploads can be resumed instead, at `/uploads/` (tus 1.0)."""
    return receive_run(request, visible_task(request, task), lambda run: created(request, run))


def created(request: HttpRequest, run: Run) -> HttpResponse:
    response = json_response(RunOut, run_document(run_context(request, run.public_id)), status=201)
    response["Location"] = absolute(reverse("api:run", args=[run.public_id]))
    return response


@router.get(
    "/runs/{run}", response=RunOut, auth=None, url_name="run", summary="A run, as its page shows it to you"
)
def show_run(request: HttpRequest, run: str) -> dict[str, Any]:
    return read_run(request, run)


def read_run(request: HttpRequest, public_id: str) -> dict[str, Any]:
    return run_document(run_context(request, without_nul(public_id)))


@router.get(
    "/runs/{run}/events",
    response=EventsOut,
    auth=MAY_READ,
    url_name="run-events",
    summary="Wait until a run changes",
)
def watch_run(request: HttpRequest, run: str, query: Annotated[WatchQuery, Query()]) -> HttpResponse:
    """Answers as soon as `version` is another than `after`, or after `wait` seconds.

    If too many clients are waiting already, the answer comes at once, with Retry-After.
    """
    result = wait_for_change(lambda: read_run(request, run), after=query.after, seconds=query.wait)
    response = json_response(EventsOut, {"changed": result.changed, "run": result.document})
    if result.retry_after:
        response["Retry-After"] = str(result.retry_after)
    return response


@router.get("/runs/{run}/log", response=LogOut, auth=MAY_READ, summary="The log of its software")
def show_log(request: HttpRequest, run: str) -> dict[str, Any]:
    """Of a run of software, as far as you may see it; of all others, nothing."""
    at = clock.database_now()
    public_id = without_nul(run)
    if not run_context(request, public_id)["permissions"].receipt:
        raise Http404("the log is for the team")
    related = Execution.objects.select_related("task", "team", "amends")
    execution = related.filter(run__public_id=public_id).first()
    if execution is None:
        return {"log": ""}
    return {"log": visible_log(execution, execution_permissions(request.user, execution, at=at))}


@router.post("/runs/{run}/official", response=RunOut, auth=MAY_SUBMIT, summary="Mark a run as official")
def mark_run_official(request: HttpRequest, run: str) -> dict[str, Any]:
    mark_official.mark_by_team(run=own_run(request, run), by=owner_of(request))
    return read_run(request, run)


@router.delete("/runs/{run}/official", response=RunOut, auth=MAY_SUBMIT, summary="Remove that mark")
def unmark_run_official(request: HttpRequest, run: str) -> dict[str, Any]:
    mark_official.unmark_by_team(run=own_run(request, run), by=owner_of(request))
    return read_run(request, run)


@router.post("/runs/{run}/withdraw", response=RunOut, auth=MAY_SUBMIT, summary="Withdraw a run")
def withdraw_run(request: HttpRequest, run: str, body: WithdrawIn | None = None) -> dict[str, Any]:
    reason = body.reason if body else ""
    withdraw.withdraw_run(run=own_run(request, run), by=owner_of(request), reason=reason)
    return read_run(request, run)


@router.patch("/runs/{run}", response=RunOut, auth=MAY_SUBMIT, summary="Edit the note of a run")
def write_run_note(request: HttpRequest, run: str, body: NoteIn) -> dict[str, Any]:
    annotate.write_note(run=own_run(request, run), by=owner_of(request), note=body.note)
    return read_run(request, run)


def own_run(request: HttpRequest, public_id: str) -> Run:
    """A run of the viewer's own team; 404 for everybody else, as on its page."""
    related = ("task", "phase__task", "team", "system")
    run = Run.objects.select_related(*related).filter(public_id=without_nul(public_id)).first()
    team = team_access.team_of(request.user, run.task) if run else None
    if run is None or team is None or team.pk != run.team_id:
        raise Http404("no such run of this viewer's team")
    return run
