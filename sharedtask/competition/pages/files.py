"""Downloads of a task: raw texts or tokens, other inputs, and released gold."""

from __future__ import annotations

from datetime import datetime

from django.http import FileResponse, Http404, HttpRequest, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from sharedtask.competition import task_access, zip_inputs
from sharedtask.competition.models import TestSet
from sharedtask.core import clock, storage


@require_safe
def raw_text(request: HttpRequest, slug: str, code: str) -> FileResponse:
    """Tasks that give tokens have none; their input has the address of any other variant."""
    at = clock.database_now()
    text = task_access.given_input(request.user, get_test_set(request, slug, code, at=at), at=at)
    if text is None or not text.is_raw_text:
        raise Http404("the input is not released")
    return file_response(text.stored, text.filename)


@require_safe
def input_file(request: HttpRequest, slug: str, code: str, variant: str) -> FileResponse:
    """A variant of the input, or a sample."""
    at = clock.database_now()
    for file in task_access.inputs(request.user, get_test_set(request, slug, code, at=at), at=at):
        if file.variant == variant:
            return file_response(file.stored, file.filename)
    raise Http404("the viewer may download no such input")


@require_safe
def inputs(request: HttpRequest, slug: str) -> StreamingHttpResponse:
    at = clock.database_now()
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    files = zip_inputs.downloadable_inputs(request.user, task, at=at)
    if not files:
        raise Http404("no input is released")
    response = StreamingHttpResponse(zip_inputs.stream_zip(files), content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="{task.slug}-inputs.zip"'
    return response


@require_safe
def gold_file(request: HttpRequest, slug: str, code: str) -> FileResponse:
    """The public copy, which a worker writes after an organiser has released the gold."""
    at = clock.database_now()
    version = task_access.gold_file(request.user, get_test_set(request, slug, code, at=at), at=at)
    if version is None:
        raise Http404("this gold is not public")
    return file_response(version.public_copy, f"{code}.conllu")


@require_safe
def gold_reference(request: HttpRequest, slug: str, code: str, name: str) -> FileResponse:
    """A further reference, which is released with the gold file."""
    at = clock.database_now()
    version = task_access.gold_file(request.user, get_test_set(request, slug, code, at=at), at=at)
    reference = version.references.filter(name=name).first() if version else None
    if reference is None:
        raise Http404("there is no such public reference")
    return file_response(reference.public_copy, f"{code}.{name}.conllu")


def get_test_set(request: HttpRequest, slug: str, code: str, *, at: datetime) -> TestSet:
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    return get_object_or_404(task_access.test_sets(request.user, task, at=at), code=code)


def file_response(stored: str, filename: str) -> FileResponse:
    try:
        stream = storage.open_stream(stored)
    except FileNotFoundError:
        raise Http404("the file is not in storage") from None
    return FileResponse(
        stream, as_attachment=True, filename=filename, content_type="text/plain; charset=utf-8"
    )
