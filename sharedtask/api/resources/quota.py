"""How many runs a team may still upload, by phase."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from ninja import Router, Schema
from pydantic import Field

from sharedtask.api.authentication import MAY_READ
from sharedtask.api.viewing import visible_task
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.overview.dashboard import PhaseSummary, phase_summaries, phases_of
from sharedtask.submissions.obstacles import obstacles
from sharedtask.teams import team_access

router = Router()


class ObstacleOut(Schema):
    id: str
    message: str


class QuotaOut(Schema):
    phase: str
    track: str = Field(description="Its code; empty in a task without tracks.")
    title: str
    is_open: bool
    closes_at: datetime | None
    used_today: int
    used_total: int
    runs_per_day: int | None
    runs_total: int | None
    extra_runs: int
    left_today: int | None = Field(description="Null if there is no limit.")
    left_total: int | None
    next_run_at: datetime | None = Field(description="When the next run is possible if none is now.")
    obstacle: ObstacleOut | None = Field(description="Why an upload would be refused now.")


class QuotasOut(Schema):
    team: str
    items: list[QuotaOut] = Field(description="One per phase that is open or scheduled, and per track.")


@router.get("/tasks/{task}/quota", response=QuotasOut, auth=MAY_READ, summary="What your team may upload")
def show_quota(request: HttpRequest, task: str) -> dict[str, Any]:
    at = clock.database_now()
    row = visible_task(request, task)
    team = team_access.team_of(request.user, row)
    if team is None:
        raise Refusal("upload-without-team", "You are not on a team for this task.")
    summaries = phase_summaries(row, team, phases_of(row), at=at)
    quotas = {(summary.phase.pk, summary.track): summary.quota for summary in summaries}
    refusals = obstacles([summary.phase for summary in summaries], team, quotas, at=at)
    items = [quota_out(summary, refusals.get((summary.phase.pk, summary.track))) for summary in summaries]
    return {"team": team.public_id, "items": items}


def quota_out(summary: PhaseSummary, obstacle: Refusal | None) -> dict[str, Any]:
    quota = summary.quota
    return {
        "phase": summary.phase.code,
        "track": summary.track,
        "title": summary.title,
        "is_open": summary.is_open,
        "closes_at": summary.closes_at,
        "used_today": quota.today,
        "used_total": quota.total,
        "runs_per_day": quota.runs_per_day,
        "runs_total": quota.runs_total,
        "extra_runs": quota.extra_runs,
        "left_today": quota.left_today,
        "left_total": quota.left_total,
        "next_run_at": quota.next_unit_at,
        "obstacle": {"id": obstacle.id, "message": obstacle.message} if obstacle else None,
    }
