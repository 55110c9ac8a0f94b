"""Acts that touch other people's work need a reason: it goes into the audit log, and often to the team."""

from __future__ import annotations

from sharedtask.core.errors import Refusal

LONGEST = 2000
MISSING = "Please give a reason; it is kept in the log."


def required(reason: str) -> str:
    reason = optional(reason)
    if not reason:
        raise Refusal("reason-missing", MISSING, expected="a reason")
    return reason


def optional(reason: str) -> str:
    # A form can bring a NUL, which no database takes.
    reason = reason.replace("\0", "").strip()
    if len(reason) > LONGEST:
        raise Refusal("reason-too-long", "The reason is too long.", expected=f"at most {LONGEST} letters")
    return reason
