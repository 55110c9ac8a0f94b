"""What becomes of a container image after it was sent: it is checked, executed, and its outputs are a run.

In: the connection and the id of an image. Out: the id of the run, as soon as there is one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

from .connection import Connection
from .errors import ClientError, InvalidUpload, Refused, SiteUnavailable, TimedOut
from .submissions import new_key

Document = dict[str, Any]
POLL_SECONDS = 2.0
SENTENCE_OF_CHECK = "The image is being checked."
WITHOUT_RUN: Mapping[str, tuple[type[ClientError], str]] = {
    "failed": (SiteUnavailable, "execution-failed"),
    "stopped": (Refused, "execution-stopped"),
}
"""States in which it is not the software that has failed."""


def run_of_image(
    connection: Connection,
    image: str,
    *,
    phase: str,
    track: str,
    timeout: float | None,
    on_change: Callable[[Document], None],
) -> str:
    """Start an execution in the phase, unless the site has started one by itself."""
    end = None if timeout is None else time.monotonic() + timeout

    def pause(document: Document) -> None:
        on_change(document)
        if end is not None and time.monotonic() >= end:
            raise TimedOut(
                "wait-timed-out",
                f"The image {image} has no run yet. {document['sentence']} It continues on the site.",
            )
        time.sleep(POLL_SECONDS)

    document = checked_image(connection, image, pause)
    execution = matching(document["executions"], phase, track) or start(connection, image, phase, track)
    while not (execution["run"] or execution["is_final"]):
        pause(execution)
        execution = connection.get(f"/executions/{quote(execution['id'])}")
    if execution["run"]:
        return str(execution["run"])
    kind, id = WITHOUT_RUN.get(execution["state"], (InvalidUpload, "software-failed"))
    raise kind(id, f"{execution['sentence']} See {execution['url']}")


def checked_image(connection: Connection, image: str, pause: Callable[[Document], None]) -> Document:
    document: Document = connection.get(f"/images/{quote(image)}")
    while document["state"] == "received":
        pause({"sentence": SENTENCE_OF_CHECK})
        document = connection.get(f"/images/{quote(image)}")
    if document["refusal"]:
        refusal = document["refusal"]
        raise InvalidUpload(refusal["id"], f"{refusal['message']} {refusal['hint']}".strip())
    if document["state"] != "ready":
        raise SiteUnavailable(
            f"image-{document['state']}", f"The image cannot be run: it is {document['state']}."
        )
    return document


def matching(executions: list[Document], phase: str, track: str) -> Document | None:
    """The latest one in the phase and the track, where they are named."""
    for execution in executions:
        is_run = execution["purpose"] == "run"
        if is_run and phase in ("", execution["phase"]) and track in ("", execution["track"]):
            return execution
    return None


def start(connection: Connection, image: str, phase: str, track: str) -> Document:
    document = {"phase": phase, "track": track}
    execution: Document = connection.json(
        "POST", f"/images/{quote(image)}/executions", document, key=new_key()
    )
    return execution
