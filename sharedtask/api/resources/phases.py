"""Phases of a task, with the times that hold for the viewer's team."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from ninja import Router, Schema
from pydantic import Field

from sharedtask.accounts.roles import Viewer
from sharedtask.api.pagination import Page, Paging, page_of
from sharedtask.api.viewing import visible_task
from sharedtask.competition import task_access
from sharedtask.competition.models import Task
from sharedtask.core import clock
from sharedtask.overview.task_overview import PhaseRow, phase_rows
from sharedtask.teams import team_access

router = Router()


class PhaseOut(Schema):
    code: str
    title: str
    kind: str
    opens_at: datetime
    closes_at: datetime | None = Field(description="Including extensions for all teams and for yours.")
    is_open: bool
    is_blind: bool = Field(description="It shows validity and no scores.")
    runs_per_day: int | None
    runs_total: int | None
    accepts_software: bool
    test_sets: list[str] = Field(description="Codes of those that you may know of.")


@router.get("/tasks/{task}/phases", response=Page[PhaseOut], auth=None, summary="Phases of a task")
def list_phases(request: HttpRequest, task: str, paging: Paging) -> dict[str, Any]:
    at = clock.database_now()
    row = visible_task(request, task)
    rows = phase_rows(row, team_access.team_of(request.user, row), at=at)
    page = page_of(rows, paging, lambda each: each.phase.code)
    codes = codes_by_phase(request.user, row, at=at)
    return page | {"items": [phase_out(each, codes.get(each.phase.pk, [])) for each in page["items"]]}


def codes_by_phase(viewer: Viewer, task: Task, *, at: datetime) -> dict[int, list[str]]:
    codes: dict[int, list[str]] = {}
    visible = task_access.test_sets(viewer, task, at=at).prefetch_related("phases")
    for test_set in visible:
        for phase in test_set.phases.all():
            codes.setdefault(phase.pk, []).append(test_set.code)
    return codes


def phase_out(row: PhaseRow, codes: list[str]) -> dict[str, Any]:
    phase = row.phase
    return {
        "code": phase.code,
        "title": phase.title,
        "kind": phase.kind,
        "opens_at": phase.opens_at,
        "closes_at": row.closes_at,
        "is_open": row.is_open,
        "is_blind": row.blind,
        "runs_per_day": phase.runs_per_day,
        "runs_total": phase.runs_total,
        "accepts_software": phase.software,
        "test_sets": codes,
    }
