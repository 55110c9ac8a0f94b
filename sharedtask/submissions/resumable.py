"""Resumable uploads of runs: the purpose `run` of `sharedtask/uploads`.

In: the metadata of an upload, with the fields of the upload form, and later its bytes. Out: a run, through
`workflow.accept_upload` like an upload by the form: admission, limits, quota, deadline and receipt are the
same. `authorise` asks the same questions before a byte is accepted, and again when an upload is resumed: one
that began in time cannot be continued after the closing.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from django.db import IntegrityError
from django.http import HttpRequest

from evaluation.archives.unpack import SUFFIX
from sharedtask.accounts import roles
from sharedtask.accounts.models import User
from sharedtask.competition import task_access
from sharedtask.competition.models import Task
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.core.limits import upload_limits
from sharedtask.core.storage import Incoming
from sharedtask.submissions import admission, workflow
from sharedtask.submissions.destination import Destination, read_destination
from sharedtask.submissions.models import Run
from sharedtask.submissions.obstacles import obstacle
from sharedtask.submissions.quota import quota_of
from sharedtask.submissions.single_files import AnnouncedFile, announced_files, assemble
from sharedtask.teams import team_access
from sharedtask.teams.models import Team
from sharedtask.uploads.models import ResumableUpload
from sharedtask.uploads.purposes import Purpose, PurposeLimits

OPEN_UPLOADS = 10
OPEN_ARCHIVES = 3
"""A person's unfinished uploads may together be as large as so many uploads of the largest size."""


class RunPurpose(Purpose):
    name = "run"

    @property
    def limits(self) -> PurposeLimits:
        largest = upload_limits().archive_bytes
        return PurposeLimits(
            upload_bytes=largest, open_uploads=OPEN_UPLOADS, open_bytes=OPEN_ARCHIVES * largest
        )

    def authorise(self, request: HttpRequest, metadata: Mapping[str, str]) -> None:
        assert isinstance(request.user, User)
        at = clock.database_now()
        destination = destination_of(request.user, metadata, at=at)
        announced_files(metadata, upload_limits())
        refuse_now(destination, at=at)

    def complete(self, upload: ResumableUpload) -> str:
        run = run_of(upload)
        if run is None:
            try:
                run = accept_run(upload)
            except (IntegrityError, Refusal):
                # Another process may have accepted it at the same time.
                run = run_of(upload)
                if run is None:
                    raise
        return run.get_absolute_url()


def run_of(upload: ResumableUpload) -> Run | None:
    return Run.objects.filter(public_id=upload.public_id).first()


def accept_run(upload: ResumableUpload) -> Run:
    assert upload.received_at is not None
    destination = destination_of(upload.user, upload.metadata, at=upload.received_at)
    incoming = Incoming()
    try:
        single_files = assemble(upload.chunks(), files_of(upload), incoming)
        return workflow.accept_upload(
            destination.upload(
                incoming=incoming,
                uploaded_by=upload.user,
                filename=upload.metadata.get("filename", ""),
                single_files=single_files,
                at=upload.received_at,
                public_id=upload.public_id,
            )
        )
    finally:
        incoming.discard()


def files_of(upload: ResumableUpload) -> list[AnnouncedFile]:
    """A client that knows nothing of `files` may still send one .conllu file."""
    name = upload.metadata.get("filename", "")
    if not upload.metadata.get("files") and name.endswith(SUFFIX):
        return [AnnouncedFile(name=name, size_bytes=upload.length)]
    return announced_files(upload.metadata, upload_limits())


def destination_of(user: User, metadata: Mapping[str, str], *, at: datetime) -> Destination:
    task = task_access.tasks(user).filter(slug=metadata.get("task", "")).first()
    if task is None:
        raise Refusal("upload-without-task", "There is no such task: give its short name as “task”.")
    team_id = metadata.get("team", "")
    team = team_on_behalf(user, task, team_id) if team_id else team_access.team_of(user, task)
    return read_destination(metadata, viewer=user, task=task, team=team, on_behalf=bool(team_id), at=at)


def team_on_behalf(user: User, task: Task, team_id: str) -> Team | None:
    """An organiser may upload for any team of the task; for everyone else there is no such team."""
    return task.teams.filter(public_id=team_id).first() if roles.organises(user, task) else None


def refuse_now(destination: Destination, *, at: datetime) -> None:
    """What `accept.py` would refuse if the last byte arrived now."""
    phase, team = destination.phase, destination.team
    admission.refuse_outside_track(phase, destination.track)
    admission.refuse_invalid_amendment(destination.amends, phase, destination.system, destination.track)
    admission.refuse_withdrawn_system(destination.system)
    uploads = admission.uploads_within_a_day(team, at=at)
    refusal = obstacle(phase, team, quota_of(phase, team, destination.track, at=at), uploads, at=at)
    if refusal is not None:
        raise refusal
