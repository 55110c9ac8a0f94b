"""Tasks."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from ninja import Router, Schema
from pydantic import Field

from sharedtask.accounts.roles import Viewer
from sharedtask.api.pagination import Page, Paging, page_of
from sharedtask.api.viewing import absolute, visible_task
from sharedtask.competition import task_access
from sharedtask.competition.metrics import displayed_metrics, main_metrics
from sharedtask.competition.models import Task
from sharedtask.competition.tracks import Track, tracks_of
from sharedtask.core import clock

router = Router()


class TaskOut(Schema):
    id: str = Field(description="The short name in addresses.")
    title: str
    summary: str
    url: str
    profile: str
    main_metrics: list[str]
    is_over: bool
    results_published_at: datetime | None


class TrackOut(Schema):
    code: str
    title: str
    main_metrics: list[str]
    metrics: list[str]
    phases: list[str] = Field(description="Codes of those that accept its runs; empty for all.")


class TaskDetailsOut(TaskOut):
    description: str = Field(description="Markdown.")
    rules: str = Field(description="Markdown.")
    rules_version: int
    data_licence: str = Field(description="Markdown.")
    citation: str
    contact: str
    metrics: list[str] = Field(description="Those that the leaderboard shows.")
    groups: list[str]
    tracks: list[TrackOut] = Field(description="Rankings of their own; empty in a task without tracks.")
    missing: str = Field(description="What a missing file counts as: `zero` or `exclude`.")
    replicates: int
    resampling_unit: str


@router.get("/tasks", response=Page[TaskOut], auth=None, summary="All tasks")
def list_tasks(request: HttpRequest, paging: Paging) -> dict[str, Any]:
    at = clock.database_now()
    page = page_of(list(task_access.tasks(request.user)), paging, lambda task: task.slug)
    return page | {"items": [task_out(task, at=at) for task in page["items"]]}


@router.get("/tasks/{task}", response=TaskDetailsOut, auth=None, summary="A task")
def show_task(request: HttpRequest, task: str) -> dict[str, Any]:
    at = clock.database_now()
    row = visible_task(request, task)
    return task_out(row, at=at) | details(request.user, row, at=at)


def task_out(task: Task, *, at: datetime) -> dict[str, Any]:
    published = task.results_published_at if task_access.results_published(task, at=at) else None
    return {
        "id": task.slug,
        "title": task.title,
        "summary": task.summary,
        "url": absolute(task.get_absolute_url()),
        "profile": task.profile,
        "main_metrics": main_metrics(task),
        "is_over": task_access.is_over(task, at=at),
        "results_published_at": published,
    }


def details(viewer: Viewer, task: Task, *, at: datetime) -> dict[str, Any]:
    return {
        "description": task.description,
        "rules": task.rules,
        "rules_version": task.rules_version,
        "data_licence": task.data_licence,
        "citation": task.citation,
        "contact": task.contact,
        "metrics": displayed_metrics(task),
        "groups": task_access.groups(viewer, task, at=at),
        "tracks": [track_out(track) for track in tracks_of(task)],
        "missing": task.missing_policy,
        "replicates": task.replicates,
        "resampling_unit": task.resampling_unit,
    }


def track_out(track: Track) -> dict[str, Any]:
    return {
        "code": track.code,
        "title": track.title,
        "main_metrics": track.main_metrics,
        "metrics": track.metrics,
        "phases": track.phases,
    }
