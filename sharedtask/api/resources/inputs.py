"""Inputs of a task that the viewer may download."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.cache import get_conditional_response
from ninja import Router, Schema
from pydantic import Field

from sharedtask.accounts import roles
from sharedtask.api.pagination import Page, Paging, page_of
from sharedtask.api.viewing import absolute, visible_task
from sharedtask.competition import task_access
from sharedtask.competition.models import InputFile, Task
from sharedtask.competition.pages.files import file_response
from sharedtask.core import clock

router = Router()
TEXT = {"200": {"description": "The file.", "content": {"text/plain": {"schema": {"type": "string"}}}}}


class InputOut(Schema):
    test_set: str
    name: str = Field(description="Of the file.")
    variant: str = Field(description="`raw`, or the name of the variant.")
    is_raw_text: bool = Field(description="Outputs are checked against it.")
    version: int
    size: int = Field(description="In bytes.")
    sha256: str
    url: str


@router.get("/tasks/{task}/inputs", response=Page[InputOut], auth=None, summary="Inputs to download")
def list_inputs(request: HttpRequest, task: str, paging: Paging) -> dict[str, Any]:
    row = visible_task(request, task)
    page = page_of(downloadable(request, row), paging, lambda file: f"{file.test_set.code}/{file.variant}")
    return page | {"items": [input_out(row, file) for file in page["items"]]}


@router.get(
    "/tasks/{task}/inputs/{test_set}/{name}",
    response={200: None},
    auth=None,
    summary="One input, as a file",
    openapi_extra={"responses": TEXT},
    url_name="input",
)
def download_input(request: HttpRequest, task: str, test_set: str, name: str) -> HttpResponseBase:
    for file in downloadable(request, visible_task(request, task)):
        if (file.test_set.code, file.filename) == (test_set, name):
            return send(request, file)
    raise Http404("the viewer may download no such input")


def downloadable(request: HttpRequest, task: Task) -> list[InputFile]:
    at = clock.database_now()
    role = roles.role_of(request.user, task)
    visible = task_access.test_sets(request.user, task, at=at)
    return [
        file
        for test_set in visible.prefetch_related("inputs__test_set")
        for file in task_access.inputs(request.user, test_set, at=at, role=role)
    ]


def send(request: HttpRequest, file: InputFile) -> HttpResponseBase:
    """A client that has the file already gets 304, before the file is opened."""
    etag = f'"{file.sha256[:32]}"'
    if unchanged := get_conditional_response(request, etag=etag):
        return unchanged
    response = file_response(file.stored, file.filename)
    response["ETag"] = etag
    return response


def input_out(task: Task, file: InputFile) -> dict[str, Any]:
    address = reverse("api:input", args=[task.slug, file.test_set.code, file.filename])
    return {
        "test_set": file.test_set.code,
        "name": file.filename,
        "variant": file.variant,
        "is_raw_text": file.is_raw_text,
        "version": file.version,
        "size": file.size_bytes,
        "sha256": file.sha256,
        "url": absolute(address),
    }
