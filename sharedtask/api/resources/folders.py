"""Task folders: check, import, export; and single corrected gold files. A worker does the work."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from django.http import Http404, HttpRequest, HttpResponse
from ninja import Header, Query, Router, Schema
from pydantic import Field

from sharedtask.api.authentication import MAY_ORGANISE, owner_of
from sharedtask.api.receive_sealed import receive_sealed, upload_body
from sharedtask.api.viewing import json_response, without_nul
from sharedtask.competition import reasons
from sharedtask.competition.organised_task import organised_task
from sharedtask.core.errors import Refusal
from sharedtask.core.storage import Incoming
from sharedtask.folders import jobs
from sharedtask.folders.models import FolderJob
from sharedtask.folders.pages import job_of, task_to_import
from sharedtask.standings.gold_fix.pages import correctable

router = Router()
CHECKED_ONLY = "Checked through the API."
ZIP = {"200": {"description": "The zip.", "content": {"application/zip": {"schema": {"type": "string"}}}}}


class FolderJobOut(Schema):
    id: str
    kind: str = Field(description="import, export or correction.")
    task: str | None
    state: str = Field(description="waiting, planned, approved, refused, done or failed.")
    is_final: bool = Field(description="Nothing changes without a further request.")
    at: datetime
    plan: list[Any] = Field(description="Planned or applied changes.")
    notes: list[Any]
    disclosures: list[Any] = Field(description="What becomes visible, and when.")
    problems: list[Any]


class ExportOut(Schema):
    job: FolderJobOut
    key: str = Field(description="Decrypts the zip; it is not stored, and sent only now.")


class ReasonIn(Schema):
    reason: str = Field(max_length=reasons.MAX_LENGTH, min_length=1)


class ImportQuery(Schema):
    task: str = Field("", max_length=50, description="The task to change; empty for a new one.")
    check: bool = Field(False, description="Only check: the plan cannot be approved by mistake.")


@router.post(
    "/task-folders",
    response={202: FolderJobOut},
    auth=MAY_ORGANISE,
    url_name="folders",
    summary="Check a task folder and plan its import",
    openapi_extra=upload_body("reason"),
)
def import_folder(request: HttpRequest, query: Annotated[ImportQuery, Query()]) -> HttpResponse:
    """A zip. The job is planned by a worker, and applied once it is approved."""
    task = task_to_import(request, without_nul(query.task))

    def answer(sealed: Incoming, fields: dict[str, Any]) -> HttpResponse:
        reason = fields.get("reason", "") or (CHECKED_ONLY if query.check else "")
        job = jobs.request_import(task=task, sealed=sealed, by=owner_of(request), reason=reason)
        return json_response(FolderJobOut, job_out(job), status=202)

    return receive_sealed(request, answer)


@router.get("/folder-jobs/{job}", response=FolderJobOut, auth=MAY_ORGANISE, summary="The progress of a job")
def show_folder_job(request: HttpRequest, job: str) -> dict[str, Any]:
    return job_out(job_of(request, without_nul(job)))


@router.post("/folder-jobs/{job}/approve", response=FolderJobOut, auth=MAY_ORGANISE, summary="Apply a plan")
def approve_folder_job(request: HttpRequest, job: str) -> dict[str, Any]:
    row = job_of(request, without_nul(job))
    if row.state != FolderJob.State.PLANNED or row.reason == CHECKED_ONLY:
        raise Refusal("not-planned", "There is no plan to approve.", found=row.state, expected="planned")
    jobs.approve(row)
    row.refresh_from_db()
    return job_out(row)


@router.post(
    "/tasks/{task}/folder-exports",
    response={202: ExportOut},
    auth=MAY_ORGANISE,
    summary="Export a task as a folder",
)
def export_folder(request: HttpRequest, task: str, body: ReasonIn) -> HttpResponse:
    """A worker writes a zip that only this answer's key opens; then download it with that key.

    The site does not keep the key, so that a request with the same Idempotency-Key is another export.
    """
    row = organised_task(request, without_nul(task))
    export = jobs.request_export(task=row, by=owner_of(request), reason=body.reason)
    response = json_response(ExportOut, {"job": job_out(export.job), "key": export.key}, status=202)
    # The key is a secret that must not be stored with the answer.
    response["Cache-Control"] = "no-store"
    return response


@router.get(
    "/folder-jobs/{job}/zip",
    response={200: None},
    auth=MAY_ORGANISE,
    summary="The zip of an export",
    openapi_extra={"responses": ZIP},
)
def download_export(
    request: HttpRequest, job: str, key: Annotated[str, Header(alias="X-Export-Key", max_length=64)] = ""
) -> HttpResponse:
    row = job_of(request, without_nul(job))
    content = jobs.open_export(row, key) if key and row.stored else None
    if content is None or row.task is None or row.kind != FolderJob.Kind.EXPORT:
        raise Http404("there is no zip yet, or this key does not open it")
    response = HttpResponse(content, content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="{row.task.slug}.zip"'
    return response


@router.post(
    "/tasks/{task}/gold/{test_set}",
    response={202: FolderJobOut},
    auth=MAY_ORGANISE,
    url_name="gold",
    summary="Upload a corrected gold file",
    openapi_extra=upload_body("reason"),
)
def correct_gold(request: HttpRequest, task: str, test_set: str) -> HttpResponse:
    """It becomes a version that is not in force; its effect is reviewed on the page Gold."""
    row = organised_task(request, without_nul(task))
    if test_set not in {each.code for each in correctable(row)}:
        raise Http404("there is no such test set with gold")

    def answer(sealed: Incoming, fields: dict[str, Any]) -> HttpResponse:
        job = jobs.request_correction(
            task=row, code=test_set, sealed=sealed, by=owner_of(request), reason=fields.get("reason", "")
        )
        return json_response(FolderJobOut, job_out(job), status=202)

    return receive_sealed(request, answer)


def job_out(job: FolderJob) -> dict[str, Any]:
    return {
        "id": job.public_id,
        "kind": job.kind,
        "task": job.task.slug if job.task else None,
        "state": job.state,
        "is_final": job.state in FolderJob.FINAL,
        "at": job.at,
        "plan": job.plan,
        "notes": job.notes,
        "disclosures": job.disclosures,
        "problems": job.problems,
    }
