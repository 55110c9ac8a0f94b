"""Acts that affect other people's work need a reason, for the audit log and often for the team."""

from __future__ import annotations

from sharedtask.core.errors import Refusal

MAX_LENGTH = 2000
MISSING = "Please give a reason; it is recorded in the audit log."


def required(reason: str) -> str:
    reason = optional(reason)
    if not reason:
        raise Refusal("reason-missing", MISSING, expected="a reason")
    return reason


def optional(reason: str) -> str:
    # No database accepts a NUL character, which a request can contain.
    reason = reason.replace("\0", "").strip()
    if len(reason) > MAX_LENGTH:
        raise Refusal(
            "reason-too-long", "The reason is too long.", expected=f"at most {MAX_LENGTH} characters"
        )
    return reason
