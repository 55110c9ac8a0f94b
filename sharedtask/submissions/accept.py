"""Accept: a complete upload becomes a run with a receipt.

In: an `Upload`. Out: a `Run` in state received. First its archive is on disk, then its row is committed, and
only then is a receipt shown, so that nothing is lost if the power fails afterwards. If a step fails, neither
file nor row remains. The time on the receipt is the database's time when the last byte arrived: storing the
archive or waiting for the team's lock cannot make an upload late.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import PurePath

from django.db import DatabaseError
from django.db.models import Max

from sharedtask.accounts.models import User
from sharedtask.competition import audit
from sharedtask.competition.models import Phase
from sharedtask.competition.tracks import NO_TRACK
from sharedtask.core import storage
from sharedtask.core.errors import Refusal
from sharedtask.core.public_ids import new_public_id
from sharedtask.core.storage import Incoming
from sharedtask.submissions import admission
from sharedtask.submissions.models import Run
from sharedtask.submissions.pack import SingleFile
from sharedtask.submissions.quota import quota_of
from sharedtask.teams.models import System, Team

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Upload:
    incoming: Incoming
    phase: Phase
    team: Team
    system: System
    track: str = NO_TRACK
    uploaded_by: User | None
    filename: str
    single_files: Sequence[SingleFile] = ()
    """The files that were uploaded on their own and packed here; empty for an archive."""
    amends: Run | None = None
    """The run to amend: the new run inherits its files where the archive has none."""
    on_behalf: str = ""
    """An organiser's reason for uploading on the team's behalf; the team's deadline and quota apply."""
    note: str = ""
    """By the team, for itself."""
    training_size: int | None = None
    training_sample: int | None = None
    """For a run in a series: the sentences it was trained on, and the number of the sample."""
    at: datetime | None = None
    """When the last byte arrived; None means now."""
    public_id: str = field(default_factory=new_public_id)
    """Of the new run. A resumable upload gives its own, so that it becomes one run even if accepted twice."""

    def __post_init__(self) -> None:
        if self.system.team_id != self.team.pk or self.phase.task_id != self.team.task_id:
            raise ValueError("phase, team and system belong to different tasks or teams")


@contextmanager
def store_archive(incoming: Incoming, public_id: str) -> Iterator[None]:
    """For the run with this public id; removes the archive again if the run is not recorded."""
    try:
        if incoming.size == 0:
            raise Refusal("upload-empty", "The uploaded file is empty (0 bytes).", expected="an archive")
        incoming.commit(archive_name(public_id))
        yield
    except BaseException:
        incoming.discard()
        remove_unless_recorded(public_id)
        raise


def archive_name(public_id: str) -> str:
    return f"uploads/{public_id}"


def refuse_inadmissible(upload: Upload, *, at: datetime) -> None:
    admission.refuse_outside_phase(upload.phase, upload.team, at=at)
    admission.refuse_outside_track(upload.phase, upload.track)
    admission.refuse_invalid_amendment(upload.amends, upload.phase, upload.system, upload.track)
    admission.refuse_withdrawn_system(upload.system)


def lock_team_and_check_quota(upload: Upload, *, at: datetime) -> Team:
    """Refuses what only the locked row can tell: registration, quota, uploads per day.

    Call it inside a transaction: one upload at a time counts the team's runs and its quota.
    """
    team = Team.objects.select_for_update().get(pk=upload.team.pk)
    admission.refuse_unregistered(upload.phase, team)
    admission.refuse_beyond_quota(upload.phase, quota_of(upload.phase, team, upload.track, at=at))
    admission.refuse_too_many_uploads(admission.uploads_within_a_day(team, at=at))
    return team


def create_run(upload: Upload, team: Team, *, at: datetime) -> Run:
    run = Run.objects.create(
        public_id=upload.public_id,
        task_id=upload.phase.task_id,
        phase=upload.phase,
        team=team,
        system=upload.system,
        track=upload.track,
        number=(team.runs.aggregate(last=Max("number"))["last"] or 0) + 1,
        uploaded_by=upload.uploaded_by,
        on_behalf=bool(upload.on_behalf),
        origin=Run.Origin.AMENDED if upload.amends else Run.Origin.NEW,
        amends=upload.amends,
        filename=displayed_name(upload.filename, upload.single_files),
        archive=archive_name(upload.public_id),
        size_bytes=upload.incoming.size,
        sha256=upload.incoming.sha256,
        produced=dict.fromkeys(upload.amends.produced) if upload.amends else {},
        single_files=[file.as_json() for file in upload.single_files],
        note=upload.note,
        training_size=upload.training_size,
        training_sample=upload.training_sample,
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


def displayed_name(filename: str, single_files: Sequence[SingleFile]) -> str:
    """The file name without the folders of the participant's computer."""
    if len(single_files) > 1:
        return f"{len(single_files)} files"
    return PurePath(filename.replace("\\", "/")).name[-200:] or "archive"


def remove_unless_recorded(public_id: str) -> None:
    """Remove the archive, unless its row was committed after all.

    If the connection was lost during the commit we cannot know; the sweep removes archives without a row.
    """
    try:
        recorded = Run.objects.filter(public_id=public_id).exists()
    except DatabaseError:
        log.warning("unknown whether run %s was recorded; its archive is left to the sweep", public_id)
        return
    if not recorded:
        storage.remove(archive_name(public_id))
