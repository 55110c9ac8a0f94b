"""Errors as problem documents (RFC 9457), with the ids that pages and incidents use."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.http import HttpResponse

from sharedtask.core.errors import Refusal
from sharedtask.core.problems import CONTENT_TYPE, problem

__all__ = ["CONTENT_TYPE", "not_found", "problem", "refused"]

STATUS_BY_REFUSAL = {
    "token-missing": 401,
    "token-invalid": 401,
    "token-revoked": 401,
    "token-expired": 401,
    "scope-missing": 403,
    "second-factor-missing": 403,
    "upload-without-team": 403,
    "team-not-confirmed": 403,
    "rules-not-accepted": 403,
    "phase-not-open": 403,
    "phase-closed": 403,
    "daily-quota-used": 403,
    "phase-quota-used": 403,
    "cursor-unknown": 400,
    "authorization-pending": 400,
    "slow-down": 400,
    "expired": 400,
    "denied": 400,
    "upload-empty": 400,
    "upload-without-file": 400,
    "upload-mixed": 400,
    "upload-too-many-files": 400,
    "upload-without-phase": 400,
    "upload-without-system": 400,
    "upload-without-track": 400,
    "upload-too-large": 413,
    "upload-type-unsupported": 415,
    "idempotency-key-invalid": 400,
    "idempotency-key-reused": 422,
    "request-invalid": 422,
    "metric-unknown": 422,
    "group-unknown": 422,
    "ranking-unknown": 422,
    "webhook-address": 422,
    "reason-missing": 422,
    "too-many-uploads": 429,
    "too-many-requests": 429,
}
"""All others are 409: the request is fine, and the present state of the task does not allow it."""


def refused(refusal: Refusal, **further: Any) -> HttpResponse:
    status = STATUS_BY_REFUSAL.get(refusal.id, 409)
    response = problem(
        status, refusal.id, refusal.message, found=refusal.found, expected=refusal.expected, **further
    )
    if status == HTTPStatus.UNAUTHORIZED:
        response["WWW-Authenticate"] = 'Bearer realm="Arboretum"'
    return response


def not_found(
    detail: str = "There is nothing at this address, or you do not have access to it.",
) -> HttpResponse:
    return problem(404, "not-found", detail)
