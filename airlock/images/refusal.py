"""Why an archive is not accepted, in words for the person who sent it."""

from __future__ import annotations

LONGEST_QUOTE = 80


class ImageRefused(Exception):
    """A stable id, what is wrong, and how to fix it (empty where the message says everything)."""

    def __init__(self, id: str, message: str, hint: str = "") -> None:
        super().__init__(f"{message} {hint}" if hint else message)
        self.id = id
        self.message = message
        self.hint = hint


def quote(text: bytes | str) -> str:
    """A name from the archive, safe to print: shortened, in quotation marks, control characters escaped."""
    if isinstance(text, bytes):
        text = text[: 4 * LONGEST_QUOTE].decode("utf-8", "replace")
    if len(text) > LONGEST_QUOTE:
        text = text[: LONGEST_QUOTE - 1] + "…"
    return "“" + "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text) + "”"
