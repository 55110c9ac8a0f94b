"""JSON of other people: bounded in size and depth, each value of the expected type, or a refusal."""

from __future__ import annotations

import json
from typing import Any

from .contents import SAVE, Contents, Entry
from .limits import MEBIBYTE
from .refusal import ImageRefused, quote

LARGEST_DOCUMENT = MEBIBYTE
Document = dict[str, Any]


def read_document(contents: Contents, entry: Entry) -> bytes:
    if entry.size > LARGEST_DOCUMENT:
        raise ImageRefused(
            "document-too-large",
            f"The file {quote(entry.name)} has more than {LARGEST_DOCUMENT:,} bytes.",
            SAVE,
        )
    return contents.open(entry).read(entry.size)


def parse(data: bytes, name: str) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else "not valid JSON"
        raise invalid(name, f"is {reason}") from error


def invalid(name: str, what: str) -> ImageRefused:
    return ImageRefused("document-invalid", f"The file {quote(name)} {what}.", SAVE)


def as_object(value: Any, name: str, key: str) -> Document:
    if not isinstance(value, dict):
        raise invalid(name, f"has no object {key}")
    return value


def as_text(value: Any, name: str, key: str) -> str:
    """A string that can be encoded and passed to a program."""
    if not isinstance(value, str) or "\0" in value:
        raise invalid(name, f"has no valid text {key}")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise invalid(name, f"has no valid text {key}") from error
    return value


def as_list(value: Any, name: str, key: str, *, most: int) -> list[Any]:
    if not isinstance(value, list):
        raise invalid(name, f"has no list {key}")
    if len(value) > most:
        raise invalid(name, f"has more than {most:,} values of {key}")
    return value


def as_texts(value: Any, name: str, key: str, *, most: int) -> tuple[str, ...]:
    """A list of strings; null, as Go writes an empty list, is one as well."""
    values = [] if value is None else as_list(value, name, key, most=most)
    return tuple(as_text(item, name, key) for item in values)
