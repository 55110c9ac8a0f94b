"""The format of task folders as a page, from `docs/tasks.md`, and a folder to start from."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from sharedtask.core.documents import document
from sharedtask.folders.files import to_zip

STARTER = Path(__file__).parent / "starter"
STARTER_SLUG = "my-task"


@require_safe
def guide(request: HttpRequest) -> HttpResponse:
    return render(request, "folders/task_folders.html", {"text": document("tasks.md")})


@require_safe
def starter(request: HttpRequest) -> HttpResponse:
    response = HttpResponse(starter_zip(), content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="{STARTER_SLUG}.zip"'
    return response


@cache
def starter_zip() -> bytes:
    files = [path for path in STARTER.rglob("*") if path.is_file()]
    return to_zip({f"{STARTER_SLUG}/{path.relative_to(STARTER)}": path.read_bytes() for path in files})
