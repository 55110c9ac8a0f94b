"""What operations have in common: the task of an address, complete addresses, and JSON by a schema."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from ninja import Schema

from sharedtask.competition import task_access
from sharedtask.competition.models import Task
from sharedtask.core.site_address import absolute

__all__ = ["absolute", "json_response", "visible_task", "without_nul"]


def visible_task(request: HttpRequest, slug: str) -> Task:
    task = task_access.tasks(request.user).filter(slug=without_nul(slug)).first()
    if task is None:
        raise Http404("there is no such task")
    return task


def without_nul(text: str) -> str:
    """PostgreSQL rejects a NUL character in a parameter."""
    return text.replace("\0", "")


def json_response(schema: type[Schema], value: Any, *, status: int = 200) -> HttpResponse:
    """For operations that set headers, or whose answer is stored."""
    return JsonResponse(schema.model_validate(value).model_dump(mode="json"), status=status)
