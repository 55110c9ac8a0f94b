"""Publish the blind task, and read its data package."""

from __future__ import annotations

import io
import zipfile
from typing import Any

from sharedtask.accounts.models import User
from sharedtask.competition.models import Task
from sharedtask.standings.publish import publish_results
from tests.sharedtask.support.standing import close_now

ADDRESS = "/tasks/blind/results.zip"


def files_of(answer: Any) -> dict[str, bytes]:
    assert answer.status_code == 200
    with zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))) as archive:
        assert archive.testzip() is None
        return {entry.filename.removeprefix("blind/"): archive.read(entry) for entry in archive.infolist()}


def publish(task: Task, organiser: User) -> None:
    close_now(task)
    publish_results(task=task, by=organiser, reason="The task is over.")
