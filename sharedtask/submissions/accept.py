"""Step 2, accept: an upload that has arrived whole becomes a run with a receipt.

In: an `Incoming` file, the task and the team. Out: a `Run` in state received, whose archive is on the
disk and whose row is committed, in this order: whoever has been shown a receipt has lost nothing if the
power fails now. If anything fails on the way, neither file nor row remains. The check is handed out
after the commit.
"""

from __future__ import annotations

import logging
from datetime import datetime
from pathlib import PurePath

from django.contrib.auth.models import User
from django.db import DatabaseError, transaction
from django.utils import timezone

from sharedtask import handout, storage
from sharedtask.competition.models import Task
from sharedtask.faults import TeamFault
from sharedtask.publicid import new_public_id
from sharedtask.storage import Incoming
from sharedtask.submissions.models import Run
from sharedtask.teams.models import Team

log = logging.getLogger(__name__)


def accept(
    *,
    incoming: Incoming,
    task: Task,
    team: Team,
    uploaded_by: User | None,
    filename: str,
    at: datetime | None = None,
) -> Run:
    received_at = at or timezone.now()
    if incoming.size == 0:
        incoming.discard()
        raise TeamFault("upload-empty", "The file that arrived is empty (0 bytes).", expected="an archive")
    if not task.is_open(at=received_at):
        incoming.discard()
        raise TeamFault("task-closed", "This task does not take uploads at the moment.")

    public_id = new_public_id()
    archive = f"uploads/{public_id}"
    try:
        incoming.keep(archive)
        with transaction.atomic(durable=True):
            run = Run.objects.create(
                public_id=public_id,
                task=task,
                team=team,
                uploaded_by=uploaded_by,
                filename=PurePath(filename.replace("\\", "/")).name[-200:] or "archive",
                archive=archive,
                size_bytes=incoming.size,
                sha256=incoming.sha256,
                received_at=received_at,
            )
            handout.hand_out(handout.CHECK_RUN, run.public_id)
    except BaseException:
        incoming.discard()
        remove_unless_recorded(public_id, archive)
        raise
    return run


def remove_unless_recorded(public_id: str, archive: str) -> None:
    """Take the archive away again, but never from under a row that was committed after all.

    A connection lost during the commit leaves us not knowing; the sweeper removes archives without a row.
    """
    try:
        recorded = Run.objects.filter(public_id=public_id).exists()
    except DatabaseError:
        log.warning("cannot tell whether run %s was recorded; its archive stays for the sweeper", public_id)
        return
    if not recorded:
        storage.remove(archive)
