"""Limits on archives, and the refusal of an upload beyond them."""

from __future__ import annotations

from dataclasses import dataclass

from .refusal import Refusal


@dataclass(frozen=True, kw_only=True)
class ArchiveLimits:
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


def too_large(limit: int) -> Refusal:
    return Refusal(
        "upload-too-large",
        f"The upload is larger than the limit of {readable_bytes(limit)}. "
        "Include only the .conllu files, and compress them.",
        expected=f"at most {readable_bytes(limit)}",
    )


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
