"""Step 2, accept: an upload that has arrived whole becomes a run with a receipt.

In: an `Incoming` file, the phase, the team and its system. Out: a `Run` in state received, whose archive is
on the disk and whose row is committed, in this order: whoever has been shown a receipt has lost nothing if
the power fails now. If anything fails on the way, neither file nor row remains. The receipt's time is the
database's when the last byte had come: neither storing it nor waiting for the team's lock makes anybody late.
The check is handed out after the commit.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime
from pathlib import PurePath

from django.db import DatabaseError, transaction
from django.db.models import Max

from sharedtask.accounts.models import User
from sharedtask.competition import audit
from sharedtask.competition.models import Phase
from sharedtask.core import clock, logs, storage
from sharedtask.core.errors import Refusal
from sharedtask.core.public_ids import new_public_id
from sharedtask.core.storage import Incoming
from sharedtask.submissions import admission, notify
from sharedtask.submissions.models import Run
from sharedtask.submissions.pack import SentFile
from sharedtask.teams.models import System, Team
from sharedtask.work import dispatch

log = logging.getLogger(__name__)


def accept(
    *,
    incoming: Incoming,
    phase: Phase,
    team: Team,
    system: System,
    uploaded_by: User | None,
    filename: str,
    sent: Sequence[SentFile] = (),
    amends: Run | None = None,
    on_behalf: str = "",
    at: datetime | None = None,
) -> Run:
    """`amends` makes it an amended run, which inherits what the archive does not have.

    `sent` are the files that came by themselves and were packed; `at` is when the last byte had come.
    `on_behalf` is an organiser's reason for uploading in the team's place; the team's deadline and quota hold
    all the same.
    """
    if system.team_id != team.pk or phase.task_id != team.task_id:
        raise ValueError("phase, team and system belong to different tasks or teams")
    if incoming.size == 0:
        incoming.discard()
        raise Refusal("upload-empty", "The file that arrived is empty (0 bytes).", expected="an archive")

    public_id = new_public_id()
    archive = f"uploads/{public_id}"
    try:
        received_at = at or clock.database_now()
        incoming.keep(archive)
        admission.refuse_outside_the_phase(phase, team, at=received_at)
        admission.refuse_unfit_amendment(amends, phase, system)
        admission.refuse_withdrawn_system(system)
        with transaction.atomic(durable=True):
            # Numbers and quotas of a team are counted by one upload at a time.
            team = Team.objects.select_for_update().get(pk=team.pk)
            admission.refuse_unregistered(phase, team)
            admission.refuse_beyond_quota(phase, team, at=received_at)
            admission.refuse_a_flood(team, at=received_at)
            run = Run.objects.create(
                public_id=public_id,
                task_id=phase.task_id,
                phase=phase,
                team=team,
                system=system,
                number=(team.runs.aggregate(last=Max("number"))["last"] or 0) + 1,
                uploaded_by=uploaded_by,
                on_behalf=bool(on_behalf),
                origin=Run.Origin.AMENDED if amends else Run.Origin.NEW,
                amends=amends,
                filename=shown_name(filename, sent),
                archive=archive,
                size_bytes=incoming.size,
                sha256=incoming.sha256,
                sent=[file.as_json() for file in sent],
                received_at=received_at,
                handed_out_at=received_at,
            )
            if on_behalf:
                audit.write(
                    task=phase.task,
                    who=uploaded_by,
                    action="upload-on-behalf",
                    subject=run,
                    reason=on_behalf,
                    details={"run": run.public_id, "sha256": run.sha256},
                    at=received_at,
                )
            notify.tell_received(run, at=received_at)
            dispatch.hand_out(dispatch.CHECK_RUN, run.public_id)
    except BaseException:
        incoming.discard()
        remove_unless_recorded(public_id, archive)
        raise
    with logs.about(run=run.public_id, stage="accept"):
        log.info("received %s bytes, SHA-256 %s", run.size_bytes, run.sha256)
    return run


def shown_name(filename: str, sent: Sequence[SentFile]) -> str:
    """Only the name, whatever folders the participant's computer put before it."""
    if len(sent) > 1:
        return f"{len(sent)} files"
    return PurePath(filename.replace("\\", "/")).name[-200:] or "archive"


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
