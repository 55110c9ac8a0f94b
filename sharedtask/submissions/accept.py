"""Step 2, accept: an upload that has arrived whole becomes a run with a receipt.

In: an `Upload`. Out: a `Run` in state received, whose archive is on the disk and whose row is committed, in
this order: whoever has been shown a receipt has lost nothing if the power fails now. If anything fails on the
way, neither file nor row remains. The receipt's time is the database's when the last byte had come: neither
storing it nor waiting for the team's lock makes anybody late.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath

from django.db import DatabaseError
from django.db.models import Max

from sharedtask.accounts.models import User
from sharedtask.competition import audit
from sharedtask.competition.models import Phase
from sharedtask.core import storage
from sharedtask.core.errors import Refusal
from sharedtask.core.public_ids import new_public_id
from sharedtask.core.storage import Incoming
from sharedtask.submissions import admission
from sharedtask.submissions.models import Run
from sharedtask.submissions.pack import SentFile
from sharedtask.teams.models import System, Team

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Upload:
    incoming: Incoming
    phase: Phase
    team: Team
    system: System
    uploaded_by: User | None
    filename: str
    sent: Sequence[SentFile] = ()
    """The files that came by themselves and were packed; none when an archive came."""
    amends: Run | None = None
    """Makes it an amended run, which inherits what the archive does not have."""
    on_behalf: str = ""
    """An organiser's reason for uploading in the team's place; deadline and quota of the team still hold."""
    at: datetime | None = None
    """When the last byte had come; None: now."""

    def __post_init__(self) -> None:
        if self.system.team_id != self.team.pk or self.phase.task_id != self.team.task_id:
            raise ValueError("phase, team and system belong to different tasks or teams")


@contextmanager
def stored_archive(incoming: Incoming) -> Iterator[str]:
    """The public id of the run to be, whose archive is stored; it goes again unless the run is recorded."""
    public_id = new_public_id()
    try:
        if incoming.size == 0:
            raise Refusal("upload-empty", "The file that arrived is empty (0 bytes).", expected="an archive")
        incoming.keep(archive_name(public_id))
        yield public_id
    except BaseException:
        incoming.discard()
        remove_unless_recorded(public_id)
        raise


def archive_name(public_id: str) -> str:
    return f"uploads/{public_id}"


def refuse_inadmissible(upload: Upload, *, at: datetime) -> None:
    admission.refuse_outside_the_phase(upload.phase, upload.team, at=at)
    admission.refuse_unfit_amendment(upload.amends, upload.phase, upload.system)
    admission.refuse_withdrawn_system(upload.system)


def lock_team(upload: Upload, *, at: datetime) -> Team:
    """Numbers and quotas of a team are counted by one upload at a time; call it inside a transaction."""
    team = Team.objects.select_for_update().get(pk=upload.team.pk)
    admission.refuse_unregistered(upload.phase, team)
    admission.refuse_beyond_quota(upload.phase, team, at=at)
    admission.refuse_a_flood(team, at=at)
    return team


def create_run(upload: Upload, team: Team, public_id: str, *, at: datetime) -> Run:
    run = Run.objects.create(
        public_id=public_id,
        task_id=upload.phase.task_id,
        phase=upload.phase,
        team=team,
        system=upload.system,
        number=(team.runs.aggregate(last=Max("number"))["last"] or 0) + 1,
        uploaded_by=upload.uploaded_by,
        on_behalf=bool(upload.on_behalf),
        origin=Run.Origin.AMENDED if upload.amends else Run.Origin.NEW,
        amends=upload.amends,
        filename=displayed_name(upload.filename, upload.sent),
        archive=archive_name(public_id),
        size_bytes=upload.incoming.size,
        sha256=upload.incoming.sha256,
        sent=[file.as_json() for file in upload.sent],
        received_at=at,
        dispatched_at=at,
    )
    if upload.on_behalf:
        write_audit_entry(run, upload, at=at)
    return run


def write_audit_entry(run: Run, upload: Upload, *, at: datetime) -> None:
    audit.write(
        task=upload.phase.task,
        who=upload.uploaded_by,
        action="upload-on-behalf",
        subject=run,
        reason=upload.on_behalf,
        details={"run": run.public_id, "sha256": run.sha256},
        at=at,
    )


def displayed_name(filename: str, sent: Sequence[SentFile]) -> str:
    """Only the name, whatever folders the participant's computer put before it."""
    if len(sent) > 1:
        return f"{len(sent)} files"
    return PurePath(filename.replace("\\", "/")).name[-200:] or "archive"


def remove_unless_recorded(public_id: str) -> None:
    """Take the archive away again, but never from under a row that was committed after all.

    A connection lost during the commit leaves us not knowing; the sweep removes archives without a row.
    """
    try:
        recorded = Run.objects.filter(public_id=public_id).exists()
    except DatabaseError:
        log.warning("cannot tell whether run %s was recorded; its archive stays for the sweep", public_id)
        return
    if not recorded:
        storage.remove(archive_name(public_id))
