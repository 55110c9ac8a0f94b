"""Limits on uploads, read from `settings.UPLOAD_LIMITS` at every call."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings

import evaluation


@dataclass(frozen=True, kw_only=True)
class UploadLimits:
    archive_bytes: int
    """Size of the upload itself, counted while it streams in."""
    members: int
    """Number of entries in the archive, folders and system clutter included."""
    member_bytes: int
    """Size of one file after unpacking."""
    total_bytes: int
    """Size of all files after unpacking."""
    ratio: int
    """Unpacked size divided by packed size; CoNLL-U packs about 10:1, a bomb 1000:1."""
    uploads_per_day: int
    """Of a team within 24 hours, refused ones included."""


def upload_limits() -> UploadLimits:
    return UploadLimits(**settings.UPLOAD_LIMITS)


def reading_limits() -> evaluation.Limits:
    """For the CoNLL-U reader, which also opens compressed files and must not unpack a bomb."""
    return evaluation.Limits(max_bytes=upload_limits().member_bytes)


def readable_bytes(size: int) -> str:
    """12 bytes, 3 KiB, 1.5 MiB: binary units, in which the limits are set."""
    if size < 1024:
        return f"{size} bytes"
    value = float(size)
    for unit in ("KiB", "MiB", "GiB"):
        value /= 1024
        if value < 1024 or unit == "GiB":
            return f"{value:.1f} {unit}".replace(".0 ", " ")
    raise AssertionError("unreachable")
