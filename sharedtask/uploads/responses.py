"""Responses of the upload protocol: tus 1.0 headers on all, errors as problem documents (RFC 9457)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.http import HttpResponse, JsonResponse
from django.utils.http import http_date

from sharedtask.core.errors import Refusal
from sharedtask.core.problems import problem
from sharedtask.uploads.checksum import ALGORITHMS
from sharedtask.uploads.models import ResumableUpload

VERSION = "1.0.0"
EXTENSIONS = ("creation", "creation-with-upload", "termination", "checksum", "expiration")
CHECKSUM_MISMATCH = 460
"""Of the protocol, in no registry."""
STATUS_BY_REFUSAL = {
    "not-signed-in": 401,
    "token-invalid": 401,
    "token-revoked": 401,
    "token-expired": 401,
    "upload-too-large": 413,
    "upload-metadata-invalid": 400,
    "upload-purpose-unknown": 400,
    "upload-checksum-unsupported": 400,
    "upload-header-invalid": 400,
    "upload-empty": 400,
    "upload-type-unsupported": 415,
}
"""All others are 403: clients do not repeat such a request by themselves."""


def with_protocol_headers(response: HttpResponse) -> HttpResponse:
    response["Tus-Resumable"] = VERSION
    response["Cache-Control"] = "no-store"
    return response


def capabilities(max_bytes: int) -> HttpResponse:
    """For OPTIONS: what this server supports."""
    response = HttpResponse(status=204)
    response["Tus-Version"] = VERSION
    response["Tus-Extension"] = ",".join(EXTENSIONS)
    response["Tus-Checksum-Algorithm"] = ",".join(ALGORITHMS)
    if max_bytes:
        response["Tus-Max-Size"] = str(max_bytes)
    return response


def state_response(upload: ResumableUpload, *, status: int) -> HttpResponse:
    """Without a body: where the upload stands, in headers."""
    response = HttpResponse(status=status)
    response["Upload-Offset"] = str(upload.offset)
    if upload.state == upload.State.RECEIVING:
        response["Upload-Expires"] = http_date(upload.expires_at.timestamp())
    if upload.receipt:
        response["Upload-Receipt"] = upload.receipt
    return response


def offset_response(upload: ResumableUpload) -> HttpResponse:
    """For HEAD, with everything that a client needs to resume."""
    response = state_response(upload, status=200)
    response["Upload-Length"] = str(upload.length)
    response["Upload-Metadata"] = upload.metadata_header
    return response


def document(upload: ResumableUpload) -> dict[str, Any]:
    """The same as JSON, for pages and people."""
    return {
        "address": upload.get_absolute_url(),
        "purpose": upload.purpose,
        "state": upload.state,
        "offset": upload.offset,
        "length": upload.length,
        "expires_at": upload.expires_at.isoformat(),
        "received_at": upload.received_at.isoformat() if upload.received_at else None,
        "receipt": upload.receipt,
        "refusal": upload.refusal or None,
    }


def state_document(upload: ResumableUpload) -> JsonResponse:
    return JsonResponse(document(upload))


def list_document(uploads: Iterable[ResumableUpload]) -> JsonResponse:
    return JsonResponse({"uploads": [document(upload) for upload in uploads]})


def refused(refusal: Refusal) -> HttpResponse:
    status = STATUS_BY_REFUSAL.get(refusal.id, 403)
    return problem(status, refusal.id, refusal.message, found=refusal.found, expected=refusal.expected)
