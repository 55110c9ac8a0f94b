"""Limits on the size of a request: that of a form, or that of an upload for views that accept one.

In: any request. Out: 413, before anything is read of a body that is longer than the view accepts. A view that
accepts uploads is marked with `@upload_view`; it checks the size of a file itself, with its own message, and
gets no body that is so large that reading it to the end would be a waste. Everywhere else a body is at most
`settings.DATA_UPLOAD_MAX_MEMORY_SIZE`, and files in it are dropped (`NoFiles`), so that nothing is written to
disk. A view marked with `@streaming_view` reads the body itself, piece by piece, and sets its own limit. In
all others Django reads no more than Content-Length says, and nothing of a body without one, so that a body in
chunks is refused as well (411). The proxy gives every body its length.
"""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Any, TypeVar

from django.conf import settings
from django.core.files.uploadhandler import FileUploadHandler, SkipFile
from django.http import HttpRequest, HttpResponse
from django.template import loader
from django.urls import Resolver404, resolve

from sharedtask.core.limits import upload_limits
from sharedtask.core.problems import problem

# A browser shows our response only if its complete request was read. A body that is so many times larger than
# the limit is not read to the end.
MAX_OVERSIZE_FACTOR = 4
FORM_BYTES = 1_000_000
NO_LENGTH = "The length of the body is required, as a number in Content-Length.\n"

GetResponse = Callable[[HttpRequest], HttpResponse]
View = TypeVar("View", bound=Callable[..., Any])


class NoFiles(FileUploadHandler):
    """For all views except those that set an upload handler of their own."""

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        raise SkipFile

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes | None:
        return None

    def file_complete(self, file_size: int) -> None:
        return None


def upload_view(view: View) -> View:
    """Outermost, so that no other decorator hides the mark."""
    view.takes_uploads = True  # type: ignore[attr-defined]
    return view


def takes_uploads(view: Callable[..., Any] | None) -> bool:
    return getattr(view, "takes_uploads", False)


def streaming_view(view: View) -> View:
    """Outermost, like `upload_view`."""
    view.streams_body = True  # type: ignore[attr-defined]
    return view


def streams_body(view: Callable[..., Any] | None) -> bool:
    return getattr(view, "streams_body", False)


def view_for_programs(view: View) -> View:
    """It answers with problem documents instead of pages."""
    view.answers_programs = True  # type: ignore[attr-defined]
    return view


def answers_programs(view: Callable[..., Any] | None) -> bool:
    return getattr(view, "answers_programs", False)


def limit_middleware(get_response: GetResponse) -> GetResponse:
    def middleware(request: HttpRequest) -> HttpResponse:
        length = content_length(request)
        if length == 0 or streams_body(view_of(request)):
            return get_response(request)
        if length is None:
            return HttpResponse(NO_LENGTH, status=HTTPStatus.LENGTH_REQUIRED, content_type="text/plain")
        if length > settings.DATA_UPLOAD_MAX_MEMORY_SIZE and length > max_bytes(view_of(request)):
            if answers_programs(view_of(request)):
                return problem(413, "request-too-large", "The body of the request is too large.")
            # Rendered without the request, so that no context processor asks the database.
            page = loader.get_template("413.html").render()
            return HttpResponse(page, status=HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        return get_response(request)

    return middleware


def content_length(request: HttpRequest) -> int | None:
    """None for a body of unknown length."""
    header = request.META.get("CONTENT_LENGTH", "")
    if header:
        return int(header) if header.isascii() and header.isdigit() else None
    return None if request.headers.get("Transfer-Encoding") else 0


def view_of(request: HttpRequest) -> Callable[..., Any] | None:
    try:
        return resolve(request.path_info).func
    except Resolver404:
        return None


def max_bytes(view: Callable[..., Any] | None) -> int:
    if not takes_uploads(view):
        return settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    return MAX_OVERSIZE_FACTOR * upload_limits().archive_bytes + FORM_BYTES
