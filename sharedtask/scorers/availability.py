"""Whether organisers can bring a scorer of their own; if not, a sentence says how to get it."""

from __future__ import annotations

from django.conf import settings

from sharedtask.core.errors import Refusal

UNAVAILABLE = (
    "Scorers cannot be run here. The administrator of this server can start a worker with a container engine "
    "for them, as deploy/README.md describes under “Scorers of organisers”."
)


def is_available() -> bool:
    return bool(settings.SCORERS)


def refuse_if_unavailable() -> None:
    if not is_available():
        raise Refusal("scorers-unavailable", UNAVAILABLE)
