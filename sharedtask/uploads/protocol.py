"""What all requests of the upload protocol have in common: method, version, errors, headers.

In: functions by method. Out: a view. It turns every expected error into the status code that clients of the
protocol expect: they repeat a request after 409 and 5xx, and report all others to their user.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt

from sharedtask.core import server_error
from sharedtask.core.body_limit import content_length, streaming_view
from sharedtask.core.errors import Refusal
from sharedtask.uploads import responses
from sharedtask.uploads.append import MAX_PARTS, Superseded, TooLong, TooManyParts, WrongChecksum
from sharedtask.uploads.body import Interrupted
from sharedtask.uploads.create import DiskFull
from sharedtask.uploads.models import ResumableUpload
from sharedtask.uploads.purposes import largest_upload

log = logging.getLogger(__name__)

Handler = Callable[..., HttpResponse]
CONTENT_TYPE = "application/offset+octet-stream"
NEEDS_NO_VERSION = ("OPTIONS", "GET")


def tus_view(handlers: Mapping[str, Handler]) -> Handler:
    @streaming_view
    @csrf_exempt
    def view(request: HttpRequest, **arguments: Any) -> HttpResponse:
        """Without the middleware's check for CSRF: `requester.py` decides whether one is needed."""
        return responses.with_protocol_headers(respond(request, handlers, arguments))

    return view


def respond(request: HttpRequest, handlers: Mapping[str, Handler], arguments: dict[str, Any]) -> HttpResponse:
    method = method_of(request)
    if method == "OPTIONS":
        return responses.capabilities(largest_upload())
    if method not in handlers:
        response = responses.problem(405, "method-not-allowed", "This address does not support this method.")
        response["Allow"] = ", ".join((*handlers, "OPTIONS"))
        return response
    if method not in NEEDS_NO_VERSION and request.headers.get("Tus-Resumable") != responses.VERSION:
        detail = (
            f"This server supports version {responses.VERSION} of the protocol: send it in Tus-Resumable."
        )
        response = responses.problem(412, "protocol-version-unsupported", detail)
        response["Tus-Version"] = responses.VERSION
        return response
    try:
        if content_length(request) != 0:
            # Before anything reads the body: forms are read for a CSRF token, and here they could be endless.
            refuse_other_types(request)
        return handlers[method](request, **arguments)
    except Exception as error:
        return error_response(error)


def method_of(request: HttpRequest) -> str:
    """Some networks let only GET and POST through; a GET that claims to be more would bypass CSRF checks."""
    method = request.method or ""
    return request.headers.get("X-HTTP-Method-Override", method).upper() if method == "POST" else method


def refuse_other_types(request: HttpRequest) -> None:
    if request.content_type != CONTENT_TYPE:
        raise Refusal("upload-type-unsupported", f"The Content-Type has to be {CONTENT_TYPE}.")


def number_in_header(request: HttpRequest, name: str) -> int:
    text = request.headers.get(name, "")
    if not (text.isascii() and text.isdigit() and len(text) <= 15):
        raise Refusal("upload-header-invalid", f"{name} has to be a number of bytes.", found=text[:40])
    return int(text)


def error_response(error: Exception) -> HttpResponse:
    """Raises the error again if it is none of those that are expected."""
    match error:
        case Refusal():
            return responses.refused(error)
        case Http404() | ResumableUpload.DoesNotExist():
            return responses.problem(
                404, "upload-unknown", "There is no such upload: it was cancelled or expired."
            )
        case Superseded():
            detail = "Another request has continued this upload, or the offset is not the current one. "
            return responses.problem(409, "upload-offset-conflict", detail + "Ask for the offset with HEAD.")
        case Interrupted():
            return responses.problem(
                400, "upload-interrupted", "The connection was lost; the upload can be resumed."
            )
        case TooLong():
            detail = "The body is longer than what remains of the announced length."
            return responses.problem(413, "upload-longer-than-announced", detail)
        case TooManyParts():
            detail = f"The upload was sent in more than {MAX_PARTS} requests. Please send larger chunks."
            return responses.problem(400, "upload-chunks-too-small", detail)
        case WrongChecksum():
            detail = "The body was damaged in transit and was discarded. Please send it again."
            return responses.problem(responses.CHECKSUM_MISMATCH, "upload-checksum-mismatch", detail)
        case _ if server_error.is_temporary(error) or isinstance(error, DiskFull):
            return temporary_failure(error)
    raise error


def temporary_failure(error: Exception) -> HttpResponse:
    """What was acknowledged is safe, and the client can resume from there."""
    log.warning("upload stopped: %r", error)
    is_full = isinstance(error, DiskFull) or (
        isinstance(error, OSError) and error.errno in server_error.NO_SPACE
    )
    if is_full:
        detail = (
            "The server has no space left for this upload. The bytes acknowledged so far are safe: please "
        )
        detail += "resume later, and notify the organisers if it does not work within an hour."
        response = responses.problem(507, "server-disk-full", detail)
    else:
        detail = (
            "The server is temporarily unavailable. The bytes acknowledged so far are safe: please resume."
        )
        response = responses.problem(503, "server-unavailable", detail)
    response["Retry-After"] = str(server_error.RETRY_SECONDS)
    return response
