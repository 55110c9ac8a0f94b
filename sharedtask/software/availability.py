"""Whether software can be submitted on this site; if not, one sentence says why and how to get it."""

from __future__ import annotations

from django.conf import settings

from sharedtask.core.errors import Refusal

HOW = (
    "The administrator of this server can start docker or podman and an airlock worker, as deploy/README.md "
    "describes under “Airlock workers”."
)


def is_available() -> bool:
    return bool(settings.AIRLOCK)


def unavailable_sentence() -> str:
    """Empty if software can be run."""
    if is_available():
        return ""
    reason = settings.AIRLOCK_REASON or "no container engine is connected to this site"
    return f"Software cannot be run here because {reason}. {HOW}"


def refuse_if_unavailable() -> None:
    if not is_available():
        raise Refusal("software-unavailable", unavailable_sentence())
