"""What went wrong on our side with a piece of work, as it is kept in its row; for organisers only."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

LONGEST_NOTE = 20_000


@dataclass(frozen=True, kw_only=True)
class Failure:
    stage: str
    kind: str
    """The class of the exception, or `LostWorker`."""
    exit_code: int | None = None
    signal: int | None = None
    out_of_memory: bool | None = None
    """None where nobody can tell."""
    duration_seconds: float | None = None
    worker: str = ""
    note: str = ""
    details: dict[str, str] = field(default_factory=dict)
    """What the kind of work adds: the test set of a score, say."""

    def as_json(self) -> dict[str, Any]:
        values = asdict(self)
        details = values.pop("details")
        return values | details | {"whose": "ours", "note": printable(self.note, longest=LONGEST_NOTE)}


def printable(text: str, *, longest: int) -> str:
    """A quotation that any database takes: no NUL, no half of a surrogate pair, not endless."""
    text = text.replace("\0", "␀").encode("utf-8", "backslashreplace").decode("utf-8")
    return text if len(text) <= longest else text[: longest - 1] + "…"
