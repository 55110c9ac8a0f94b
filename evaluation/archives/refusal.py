"""Why an upload, or a request, cannot be accepted."""

from __future__ import annotations


class Refusal(Exception):
    """An error that the user can fix: a stable id, one sentence, what was found and what was expected."""

    def __init__(self, id: str, message: str, *, found: str = "", expected: str = "") -> None:
        super().__init__(message)
        self.id = id
        self.message = message
        self.found = found
        self.expected = expected
