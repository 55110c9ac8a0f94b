"""Acts of organisers on results and runs: publish, retry, reject, restore."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.http import Http404, HttpRequest
from ninja import Router, Schema
from pydantic import Field

from sharedtask.accounts import roles
from sharedtask.api.authentication import MAY_ORGANISE, owner_of
from sharedtask.api.resources.runs import RunOut, read_run
from sharedtask.api.viewing import without_nul
from sharedtask.competition import reasons
from sharedtask.competition.organised_task import organised_task
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.standings.publish import publish_results
from sharedtask.standings.readiness import readiness
from sharedtask.submissions.models import Run
from sharedtask.submissions.moderation_pages import RUN_ACTS
from sharedtask.submissions.retry_failed import retry_runs

router = Router()


class ReasonIn(Schema):
    reason: str = Field(max_length=reasons.MAX_LENGTH)


class PublishIn(Schema):
    reason: str = Field(max_length=reasons.MAX_LENGTH, description="For the audit log.")
    note: str = Field("", max_length=500, description="Changes since the last publication, for readers.")
    rankings: list[str] | None = Field(
        None, max_length=100, description="Keys of `readiness`; by default all that are ready."
    )


class ReadinessOut(Schema):
    key: str
    phase: str
    ranking: str
    is_ready: bool
    is_new: bool = Field(description="Not what is public already.")
    obstacle: str


class ReadinessListOut(Schema):
    items: list[ReadinessOut]


class PublicationOut(Schema):
    published_at: datetime
    note: str
    standings: list[str] = Field(description="Phase and ranking of what is public now.")


class RescoreOut(Schema):
    runs: int = Field(description="How many runs are being processed again.")


@router.get(
    "/tasks/{task}/readiness",
    response=ReadinessListOut,
    auth=MAY_ORGANISE,
    summary="What can be published",
)
def show_readiness(request: HttpRequest, task: str) -> dict[str, Any]:
    states = readiness(organised_task(request, without_nul(task)), at=clock.database_now())
    return {
        "items": [
            {
                "key": state.key,
                "phase": state.phase.code,
                "ranking": state.ranking,
                "is_ready": state.standing is not None and not state.obstacle,
                "is_new": state.is_new,
                "obstacle": state.obstacle,
            }
            for state in states
        ]
    }


@router.post("/tasks/{task}/publish", response=PublicationOut, auth=MAY_ORGANISE, summary="Publish results")
def publish(request: HttpRequest, task: str, body: PublishIn) -> dict[str, Any]:
    row = organised_task(request, without_nul(task))
    known = {state.key for state in readiness(row, at=clock.database_now())}
    if unknown := [key for key in body.rankings or () if key not in known]:
        choices = ", ".join(sorted(known))
        message = f"There is no ranking {unknown[0]!r}. The rankings are: {choices}."
        raise Refusal("ranking-unknown", message, expected=choices)
    publication = publish_results(
        task=row,
        by=owner_of(request),
        reason=body.reason,
        note=without_nul(body.note),
        rankings=body.rankings,
    )
    standings = publication.standings.select_related("phase").order_by("phase__code", "ranking")
    return {
        "published_at": publication.at,
        "note": publication.note,
        "standings": [f"{each.phase.code} {each.ranking}" for each in standings],
    }


@router.post(
    "/tasks/{task}/rescore",
    response=RescoreOut,
    auth=MAY_ORGANISE,
    summary="Retry runs that failed because of a server error",
)
def rescore(request: HttpRequest, task: str, body: ReasonIn) -> dict[str, Any]:
    """Scores against a corrected version of gold are computed by themselves."""
    row = organised_task(request, without_nul(task))
    reason = reasons.required(body.reason)
    return {"runs": retry_runs(task=row, by=owner_of(request), reason=reason)}


@router.post("/runs/{run}/reject", response=RunOut, auth=MAY_ORGANISE, summary="Reject a run")
def reject_run(request: HttpRequest, run: str, body: ReasonIn) -> dict[str, Any]:
    """The team sees the reason."""
    return moderate(request, run, RUN_ACTS["reject"], body.reason)


@router.post("/runs/{run}/unreject", response=RunOut, auth=MAY_ORGANISE, summary="Restore a run")
def restore_run(request: HttpRequest, run: str, body: ReasonIn) -> dict[str, Any]:
    """Rejected or withdrawn; it counts again."""
    return moderate(request, run, RUN_ACTS["restore"], body.reason)


@router.post("/runs/{run}/retry", response=RunOut, auth=MAY_ORGANISE, summary="Retry a failed run")
def retry_run(request: HttpRequest, run: str, body: ReasonIn) -> dict[str, Any]:
    return moderate(request, run, RUN_ACTS["retry"], body.reason)


def moderate(
    request: HttpRequest, public_id: str, function: Callable[..., None], reason: str
) -> dict[str, Any]:
    related = ("task", "phase__task", "team", "system")
    run = Run.objects.select_related(*related).filter(public_id=without_nul(public_id)).first()
    if run is None or not roles.organises(request.user, run.task):
        raise Http404("for organisers only")
    function(run=run, by=owner_of(request), reason=reason)
    return read_run(request, public_id)
