"""The header Upload-Metadata: `key base64value,key base64value`.

In: its text. Out: a mapping from keys to decoded values, or a `Refusal`. Values end up in the database and on
pages, so that control characters, which no field needs, are refused here.
"""

from __future__ import annotations

import base64
import binascii
import re

from sharedtask.core.errors import Refusal

MAX_CHARACTERS = 8000
KEY = re.compile(r"[A-Za-z0-9_.-]{1,64}")


def parse_metadata(header: str) -> dict[str, str]:
    if len(header) > MAX_CHARACTERS:
        raise invalid(f"it has more than {MAX_CHARACTERS} characters")
    metadata: dict[str, str] = {}
    for entry in header.split(",") if header.strip() else []:
        key, _, encoded = entry.strip().partition(" ")
        if not KEY.fullmatch(key):
            raise invalid(f"{key[:64]!r} is not a key of letters, digits, “_”, “.” or “-”")
        if key in metadata:
            raise invalid(f"the key {key} occurs twice")
        metadata[key] = decoded(key, encoded.strip())
    return metadata


def decoded(key: str, encoded: str) -> str:
    try:
        value = base64.b64decode(encoded, validate=True).decode()
    except (binascii.Error, ValueError) as error:
        raise invalid(f"the value of {key} is not UTF-8 text in base64") from error
    if any(ord(character) < 32 or ord(character) == 127 for character in value):
        raise invalid(f"the value of {key} contains a control character")
    return value


def invalid(problem: str) -> Refusal:
    return Refusal(
        "upload-metadata-invalid",
        f"Upload-Metadata cannot be read: {problem}.",
        expected="key base64value,key base64value",
    )
