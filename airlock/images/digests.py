"""SHA-256 digests: as they are written in manifests and names, and of bytes."""

from __future__ import annotations

import hashlib
import re

from .refusal import ImageRefused, quote

DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
IN_NAME = re.compile(r"(?:blobs/sha256/|sha256:)?([0-9a-f]{64})(?:\.json|\.tar|\.tar\.gz)?")


def is_digest(text: str) -> bool:
    return DIGEST.fullmatch(text) is not None


def digest_of(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def digest_in_name(name: str) -> str | None:
    """Of the content that a name promises: `blobs/sha256/HEX`, `HEX.json`, `HEX.tar`."""
    match = IN_NAME.fullmatch(name)
    return f"sha256:{match[1]}" if match else None


def check_digest(actual: str, expected: str | None, name: str) -> None:
    if expected is not None and actual != expected:
        raise ImageRefused(
            "digest-mismatch",
            f"The file {quote(name)} in the archive is not the one with the digest {expected}.",
            "The archive is damaged or was edited; save the image again.",
        )
