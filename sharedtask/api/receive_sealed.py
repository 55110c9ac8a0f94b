"""Uploads of organisers that contain gold: sealed for the workers on arrival, as on the pages."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse

from sharedtask.api import idempotency
from sharedtask.core.errors import Refusal
from sharedtask.core.storage import Incoming
from sharedtask.folders.receive import SealingUploadHandler, sealed_upload

CONTENT_TYPE = "multipart/form-data"
FIELD = "file"


class HashingHandler(SealingUploadHandler):
    """The hash tells two requests with the same key apart."""

    def __init__(self, request: HttpRequest) -> None:
        super().__init__(request, FIELD)
        self.hash = hashlib.sha256()

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        self.hash.update(raw_data)
        super().receive_data_chunk(raw_data, start)


def receive_sealed(
    request: HttpRequest, answer: Callable[[Incoming, dict[str, Any]], HttpResponse]
) -> HttpResponse:
    """`answer` gets the sealed file and the other fields."""
    if request.content_type != CONTENT_TYPE:
        raise Refusal("upload-type-unsupported", f"The Content-Type has to be {CONTENT_TYPE}.")
    handler = HashingHandler(request)
    request.upload_handlers = [handler]
    try:
        # Reads the body.
        fields = request.POST.dict()
        parts = json.dumps(sorted(fields.items())), handler.hash.hexdigest()
        fingerprint = idempotency.fingerprint(request, *parts)

        def carry_out(_: Any) -> HttpResponse:
            sealed = sealed_upload(request, field=FIELD, missing="Please send the file as “file”.")
            return answer(sealed.incoming, fields)

        return idempotency.carry_out_once(request, fingerprint, carry_out)
    finally:
        handler.discard()


def upload_body(*others: str) -> dict[str, Any]:
    """For the OpenAPI document: the file, and other fields of the form."""
    properties: dict[str, Any] = {FIELD: {"type": "string", "format": "binary"}}
    properties |= {name: {"type": "string", "maxLength": 2000} for name in others}
    schema = {"type": "object", "required": [FIELD], "properties": properties}
    return {"requestBody": {"required": True, "content": {CONTENT_TYPE: {"schema": schema}}}}
