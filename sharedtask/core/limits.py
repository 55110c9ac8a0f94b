"""Limits on uploads, read from `settings.UPLOAD_LIMITS` at every call."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings

import evaluation
from evaluation.archives.limits import ArchiveLimits
from evaluation.archives.limits import readable_bytes as readable_bytes


@dataclass(frozen=True, kw_only=True)
class UploadLimits(ArchiveLimits):
    uploads_per_day: int
    """Of a team within 24 hours, refused ones included."""


def upload_limits() -> UploadLimits:
    return UploadLimits(**settings.UPLOAD_LIMITS)


def reading_limits() -> evaluation.Limits:
    """For the CoNLL-U reader, which also opens compressed files and must not unpack a bomb."""
    return evaluation.Limits(max_bytes=upload_limits().member_bytes)
