"""A failure of the server in a piece of work, as it is stored in its row; for organisers only."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

MAX_NOTE_LENGTH = 20_000


@dataclass(frozen=True, kw_only=True)
class Failure:
    stage: str
    kind: str
    """The class of the exception, or `LostWorker`."""
    exit_code: int | None = None
    signal: int | None = None
    out_of_memory: bool | None = None
    """None if unknown."""
    duration_seconds: float | None = None
    worker: str = ""
    note: str = ""
    details: dict[str, str] = field(default_factory=dict)
    """Added by the kind of work, for example the test set of a score."""

    def as_json(self) -> dict[str, Any]:
        values = asdict(self)
        details = values.pop("details")
        return values | details | {"whose": "ours", "note": printable(self.note, longest=MAX_NOTE_LENGTH)}


def printable(text: str, *, longest: int) -> str:
    """A text that every database accepts: no NUL, no half surrogate pair, limited length."""
    text = text.replace("\0", "␀").encode("utf-8", "backslashreplace").decode("utf-8")
    return text if len(text) <= longest else text[: longest - 1] + "…"
