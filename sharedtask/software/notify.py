"""Notices about software, to the team and where it matters to organisers. Call them in a transaction.

No notice says more than the page of the execution shows its team at that time.
"""

from __future__ import annotations

from datetime import datetime

from django.urls import reverse

from sharedtask.software.models import Execution, StoredImage
from sharedtask.teams.models import Notice
from sharedtask.teams.notices.send import members_of, organisers_of, send_notices


def send_image_ready(image: StoredImage, *, at: datetime) -> None:
    text = f"The image {image.filename} of {image.team.name} was checked and is ready."
    if image.only_trains:
        text += " It has to be trained before it parses, so it was not run on development data."
    send_about_image(image, text, at=at)


def send_image_refused(image: StoredImage, *, at: datetime) -> None:
    text = f"The image {image.filename} of {image.team.name} was refused. See its page for the reason."
    send_about_image(image, text, at=at)


def send_about_image(image: StoredImage, text: str, *, at: datetime) -> None:
    send_notices(
        people=members_of(image.team),
        task=image.team.task,
        kind=Notice.Kind.SOFTWARE,
        event=f"image-checked:{image.public_id}",
        text=text,
        path=reverse("software", args=[image.team.task.slug]),
        at=at,
    )


def send_ended(execution: Execution, sentence: str, *, at: datetime, organisers_too: bool = False) -> None:
    event = f"execution-ended:{execution.public_id}"
    text = f"Execution {execution.number} of {execution.team.name} ({execution.occasion}) {sentence}"
    send_to_both(execution, event, text, at=at, organisers_too=organisers_too)


def report_stalled(*, at: datetime) -> int:
    """Executions that show no sign of progress; the team and the organisers get one notice each."""
    running = Execution.objects.filter(state=Execution.State.RUNNING, progress__is_stalled=True)
    executions = list(running.select_related("team", "task", "phase"))
    for execution in executions:
        name = f"Execution {execution.number} of {execution.team.name} ({execution.occasion})"
        text = f"{name} shows no progress: it uses no processor time and writes nothing."
        send_to_both(execution, f"execution-stalled:{execution.public_id}", text, at=at, organisers_too=True)
    return len(executions)


def send_to_both(execution: Execution, event: str, text: str, *, at: datetime, organisers_too: bool) -> None:
    for people in (members_of(execution.team), organisers_of(execution.task))[: 2 if organisers_too else 1]:
        send_notices(
            people=people,
            task=execution.task,
            kind=Notice.Kind.SOFTWARE,
            event=event,
            text=text,
            path=execution.get_absolute_url(),
            at=at,
        )


def send_log_released(execution: Execution, *, at: datetime) -> None:
    text = f"The organisers have released the log of execution {execution.number} of {execution.team.name}."
    event = f"log-released:{execution.public_id}"
    send_to_both(execution, event, text, at=at, organisers_too=False)
