"""The address of the package: the one that a worker wrote of exactly what everybody may see now."""

from __future__ import annotations

from datetime import datetime

from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseNotModified
from django.shortcuts import get_object_or_404
from django.utils.cache import patch_cache_control
from django.utils.http import parse_etags
from django.views.decorators.http import require_safe

from sharedtask import clock, storage, visibility
from sharedtask.archive.models import Package
from sharedtask.archive.package.contents import contents_of, latest_publication
from sharedtask.competition.models import Task


def package_of(task: Task, *, at: datetime) -> Package | None:
    """None before publication, and for the moment that a worker takes to write it anew."""
    publication = latest_publication(task, at=at)
    if publication is None:
        return None
    contents = contents_of(publication, at=at)
    if not contents.standings:
        return None
    written = Package.objects.filter(publication=publication, contents_sha256=contents.sha256)
    return written.exclude(stored="").first()


@require_safe
def results(request: HttpRequest, slug: str) -> HttpResponse | FileResponse:
    task = get_object_or_404(visibility.tasks(request.user), slug=slug)
    package = package_of(task, at=clock.database_now())
    if package is None:
        raise Http404("there is no package of results yet")
    etag = f'"{package.sha256}"'
    if etag in parse_etags(request.headers.get("If-None-Match", "")):
        return HttpResponseNotModified(headers={"ETag": etag})
    try:
        stream = storage.open_stream(package.stored)
    except FileNotFoundError:
        raise Http404("the package is being written anew") from None
    answer = FileResponse(
        stream, as_attachment=True, filename=f"{slug}-results.zip", content_type="application/zip"
    )
    answer.headers["Content-Length"] = str(package.size_bytes)
    answer.headers["ETag"] = etag
    patch_cache_control(answer, no_cache=True)
    return answer
