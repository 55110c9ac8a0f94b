"""The site itself: what clients need to know before anything else."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from ninja import Router, Schema
from pydantic import Field

from evaluation.version import VERSION
from sharedtask.api.viewing import absolute
from sharedtask.core.evaluator_wheel import wheel_address
from sharedtask.core.limits import upload_limits
from sharedtask.uploads.checksum import ALGORITHMS
from sharedtask.uploads.purposes import largest_upload

router = Router()


class UploadLimitsOut(Schema):
    archive_bytes: int = Field(description="Of an upload of a run.")
    members: int = Field(description="Files in an archive.")
    member_bytes: int = Field(description="Of one file after unpacking.")
    total_bytes: int = Field(description="Of all files after unpacking.")
    ratio: int = Field(description="Unpacked size divided by packed size.")
    uploads_per_day: int = Field(description="Of a team within 24 hours.")


class ResumableOut(Schema):
    url: str
    version: str
    max_bytes: int
    checksums: list[str]


class SiteOut(Schema):
    name: str
    url: str
    version: str = Field(description="Of the evaluator, which signatures contain.")
    wheel: str | None = Field(description="Address of the evaluator and the client as a Python package.")
    reference: str
    verification_uri: str = Field(description="Where a person confirms the code of a program.")
    resumable_uploads: ResumableOut
    limits: UploadLimitsOut


@router.get("/site", response=SiteOut, auth=None, summary="The site: version, addresses, limits")
def show_site(request: HttpRequest) -> dict[str, Any]:
    return {
        "name": "Arboretum",
        "url": absolute("/"),
        "version": VERSION,
        "wheel": wheel_address() or None,
        "reference": absolute(reverse("api-reference")),
        "verification_uri": absolute(reverse("account-device")),
        "resumable_uploads": {
            "url": absolute(reverse("resumable-uploads")),
            "version": "1.0.0",
            "max_bytes": largest_upload(),
            "checksums": list(ALGORITHMS),
        },
        "limits": asdict(upload_limits()),
    }
