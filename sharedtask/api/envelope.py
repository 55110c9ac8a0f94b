"""What all operations of the API have in common, around each of its views.

In: a view of the framework. Out: one that knows who asks, counts requests, answers preflights of browsers,
repeats answers (Idempotency-Key), and adds the headers: limits, ETag, CORS, caching.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any

from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.core.signals import got_request_exception
from django.http import Http404, HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.http.request import UnreadablePostError
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.views.decorators.csrf import csrf_exempt
from ninja.errors import HttpError

from sharedtask.api import idempotency, problems, rate_limits
from sharedtask.api.authentication import identify
from sharedtask.core import server_error
from sharedtask.core.body_limit import takes_uploads, view_for_programs
from sharedtask.core.client_address import client_address
from sharedtask.core.errors import Refusal

View = Callable[..., Any]
READING = ("GET", "HEAD")
EXPOSED = "ETag, Location, RateLimit, RateLimit-Policy, Retry-After"

log = logging.getLogger(__name__)


def api_view(view: View) -> View:
    @wraps(view)
    def wrapped(request: HttpRequest, **arguments: Any) -> HttpResponse:
        if request.method == "OPTIONS":
            return preflight()
        response = respond(request, view, arguments)
        if response.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
            response = not_allowed(response)
        add_headers(request, response)
        if response.status_code == HTTPStatus.OK and "ETag" in response:
            return get_conditional_response(request, etag=response["ETag"], response=response) or response
        return response

    return view_for_programs(csrf_exempt(wrapped))


def respond(request: HttpRequest, view: View, arguments: dict[str, Any]) -> HttpResponse:
    allowance = None
    try:
        who, refusal = sender_of(request)
        allowance = rate_limits.take(who, "reads" if request.method in READING else "writes")
        if allowance.is_exceeded:
            response = problems.problem(429, "too-many-requests", "Too many requests. Please wait.")
        elif refusal is not None:
            response = problems.refused(refusal)
        else:
            response = carry_out(request, view, arguments)
    except Exception as error:
        response = error_response(request, error)
    if allowance is not None:
        allowance.add_to(response)
    return response


def sender_of(request: HttpRequest) -> tuple[str, Refusal | None]:
    """By whom a request is counted. A token that is not valid proves nothing, so its address counts."""
    try:
        identify(request)
    except Refusal as refusal:
        return f"address-{client_address(request)}", refusal
    token = request.access_token  # type: ignore[attr-defined]
    return (f"token-{token.pk}" if token else f"address-{client_address(request)}"), None


def carry_out(request: HttpRequest, view: View, arguments: dict[str, Any]) -> HttpResponse:
    if request.method == "HEAD":
        request.method = "GET"
        return view(request, **arguments)
    token = request.access_token  # type: ignore[attr-defined]
    if request.method == "GET" or token is None or takes_uploads(view):
        # Uploads are not read here; their operations ask for the key themselves.
        return view(request, **arguments)
    body = hashlib.sha256(request.body).hexdigest()
    return idempotency.carry_out_once(
        request, idempotency.fingerprint(request, body), lambda row: view(request, **arguments)
    )


def error_response(request: HttpRequest, error: Exception) -> HttpResponse:
    match error:
        case Refusal():
            return problems.refused(error)
        case Http404():
            return problems.not_found()
        case UnreadablePostError():
            return problems.problem(400, "request-interrupted", "The connection was lost.")
        case RequestDataTooBig():
            return problems.problem(413, "request-too-large", "The body of the request is too large.")
        case MultiPartParserError() | SuspiciousOperation() | HttpError():
            return problems.problem(400, "request-invalid", "The body of the request cannot be read.")
        case _ if server_error.is_temporary(error):
            log.warning("temporary failure: %r", error)
            detail = "The server is temporarily unavailable. Please try again."
            response = problems.problem(503, "server-unavailable", detail)
            response["Retry-After"] = str(server_error.RETRY_SECONDS)
            return response
    log.exception("error in the API at %s", request.path)
    # As Django does before it renders its page: tests and reporters learn of the error.
    got_request_exception.send(sender=None, request=request)
    return problems.problem(500, "server-error", "A server error occurred. It has been recorded.")


def not_allowed(response: HttpResponse) -> HttpResponse:
    """With the headers that the framework and the limits have set."""
    problem = problems.problem(405, "method-not-allowed", "This address does not support this method.")
    for name, value in response.headers.items():
        problem.headers.setdefault(name, value)
    return problem


def preflight() -> HttpResponse:
    """Any site may read what is public, and only that: neither tokens nor other methods are allowed."""
    response = HttpResponse(status=204)
    response["Allow"] = "GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE"
    response["Access-Control-Allow-Origin"] = "*"
    response["Access-Control-Allow-Methods"] = "GET, HEAD"
    response["Access-Control-Allow-Headers"] = "If-None-Match"
    response["Access-Control-Max-Age"] = "86400"
    return response


def add_headers(request: HttpRequest, response: HttpResponse) -> None:
    is_public = "Authorization" not in request.headers
    if is_public and request.method in READING:
        response["Access-Control-Allow-Origin"] = "*"
        response["Access-Control-Expose-Headers"] = EXPOSED
        response.headers.setdefault("Cache-Control", "no-cache")
    else:
        response["Cache-Control"] = "private, no-store"
    patch_vary_headers(response, ("Authorization",))
    response["X-Content-Type-Options"] = "nosniff"
    is_read = request.method in READING and response.status_code == HTTPStatus.OK
    if is_read and not response.streaming and "ETag" not in response:
        # Of the bytes that are sent, so that it says nothing about what is hidden.
        response["ETag"] = f'"{hashlib.sha256(response.content).hexdigest()[:32]}"'


def nothing_here(request: HttpRequest, **arguments: Any) -> HttpResponse:
    """For every other address below the API's."""
    return problems.not_found()
