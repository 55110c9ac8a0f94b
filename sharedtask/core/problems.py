"""Errors for programs: problem documents (RFC 9457), with the ids that pages use."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.http import HttpResponse, JsonResponse

CONTENT_TYPE = "application/problem+json"


def problem(status: int, id: str, detail: str, **further: Any) -> HttpResponse:
    """Further members are left out if they are empty."""
    body = {
        "type": "about:blank",
        "title": title_of(status),
        "status": status,
        "detail": detail,
        "id": id,
        **{name: value for name, value in further.items() if value},
    }
    return JsonResponse(body, status=status, content_type=CONTENT_TYPE)


def title_of(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        # The protocol of resumable uploads has a status of its own.
        return "Refused"
