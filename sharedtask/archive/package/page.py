"""The page about the data package, its download, and the act of retrying a package that failed."""

from __future__ import annotations

from functools import partial

from django.contrib.auth.decorators import login_required
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseNotModified
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.cache import patch_cache_control
from django.utils.http import parse_etags
from django.views.decorators.http import require_POST, require_safe

import evaluation
from sharedtask.accounts import roles
from sharedtask.archive.models import Package
from sharedtask.archive.package.find import find_package, previous_package, public_contents
from sharedtask.archive.package.make import forget_file
from sharedtask.archive.package.retry import retry_package
from sharedtask.competition import task_access
from sharedtask.competition.acts import ActForm, ReasonForm, act, render_act_page
from sharedtask.competition.models import Task
from sharedtask.competition.organised_task import organised_task
from sharedtask.core import clock, storage
from sharedtask.leaderboard.board.reproduce import command

RETRY_SECONDS = 60


@require_safe
def about(request: HttpRequest, slug: str) -> HttpResponse:
    return package_page(request, get_object_or_404(task_access.tasks(request.user), slug=slug))


@login_required
@require_POST
def retry(request: HttpRequest, slug: str) -> HttpResponse:
    task = organised_task(request, slug)
    form = ReasonForm(request.POST)
    if act(request, form, partial(retry_package, task=task), done="A worker will write the package again."):
        return redirect("data-package", slug=slug)
    return package_page(request, task, refused=form)


def package_page(request: HttpRequest, task: Task, *, refused: ActForm | None = None) -> HttpResponse:
    at = clock.database_now()
    contents = public_contents(task, at=at)
    if contents is None:
        raise Http404("nothing has been published")
    current = find_package(contents)
    failed = Package.objects.failed().filter(publication=contents.publication).first()
    context = {
        "task": task,
        "contents": contents,
        "package": current or previous_package(task, at=at),
        "is_current": current is not None,
        "failed": failed,
        "form": ReasonForm.refused_or_new("", refused) if roles.organises(request.user, task) else None,
        "commands": [
            (
                standing,
                command(standing, standing.phase),
                contents.signature(standing),
                contents.former_signature(standing),
            )
            for standing in contents.standings
        ],
        "version": evaluation.VERSION,
    }
    return render_act_page(request, "archive/results.html", context, refused=refused)


@require_safe
def results(request: HttpRequest, slug: str) -> HttpResponse | FileResponse:
    """The package of what is public now, or the previous one while it is being written."""
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    at = clock.database_now()
    contents = public_contents(task, at=at)
    if contents is None:
        raise Http404("nothing has been published")
    package = find_package(contents) or previous_package(task, at=at)
    if package is None:
        return being_written(request, task)
    etag = f'"{package.sha256}"'
    if etag in parse_etags(request.headers.get("If-None-Match", "")):
        return HttpResponseNotModified(headers={"ETag": etag})
    try:
        stream = storage.open_stream(package.stored)
    except FileNotFoundError:
        forget_file(package)
        return being_written(request, task)
    response = FileResponse(
        stream, as_attachment=True, filename=f"{slug}-results.zip", content_type="application/zip"
    )
    response.headers["Content-Length"] = str(package.size_bytes)
    response.headers["ETag"] = etag
    patch_cache_control(response, no_cache=True)
    return response


def being_written(request: HttpRequest, task: Task) -> HttpResponse:
    response = render(request, "archive/being_written.html", {"task": task}, status=503)
    response.headers["Retry-After"] = str(RETRY_SECONDS)
    patch_cache_control(response, no_store=True)
    return response
