"""Receive a scorer: a resumable upload of an organiser becomes the next version of a task's scorer."""

from __future__ import annotations

from collections.abc import Mapping

from django.db import transaction
from django.db.models import Max
from django.http import HttpRequest
from django.urls import reverse

from sharedtask.accounts import roles
from sharedtask.accounts.models import User
from sharedtask.competition import audit, task_access
from sharedtask.competition.models import Task
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.scorers.availability import refuse_if_unavailable
from sharedtask.scorers.models import ScorerVersion
from sharedtask.uploads.images import ImagePurpose, displayed_name, stored_upload
from sharedtask.uploads.models import ResumableUpload
from sharedtask.work import dispatch
from sharedtask.work.targets import CHECK_SCORER

MAX_VERSIONS = 200
MAX_NOTE_LENGTH = 200


class ReceiveScorer(ImagePurpose):
    """`Upload-Metadata` names the task by its slug, and has a `note`: why there is another version."""

    name = "scorer"

    def authorise(self, request: HttpRequest, metadata: Mapping[str, str]) -> None:
        assert isinstance(request.user, User)
        task = organised_by(request.user, metadata)
        refuse_if_unavailable()
        note_in(metadata)
        if task.scorer_versions.count() >= MAX_VERSIONS:
            raise Refusal("too-many-scorers", f"This task has {MAX_VERSIONS} versions of its scorer already.")

    def complete(self, upload: ResumableUpload) -> str:
        """The id of the version is that of the upload, so that a second call finds what the first one did."""
        task = organised_by(upload.user, upload.metadata)
        if not ScorerVersion.objects.filter(public_id=upload.public_id).exists():
            record_version(upload, task, stored_upload(upload))
        return reverse("scorer", args=[task.slug])


def record_version(upload: ResumableUpload, task: Task, name: str) -> None:
    with transaction.atomic():
        # Locked, because its versions are numbered.
        task = Task.objects.select_for_update().get(pk=task.pk)
        last = task.scorer_versions.aggregate(last=Max("number"))["last"] or 0
        note = note_in(upload.metadata)
        version, created = ScorerVersion.objects.get_or_create(
            public_id=upload.public_id,
            defaults={
                "task": task,
                "number": last + 1,
                "uploaded_by": upload.user,
                "filename": displayed_name(upload),
                "note": note,
                "upload": name,
                "size_bytes": upload.length,
                "received_at": upload.received_at or clock.database_now(),
            },
        )
        if created:
            audit.write(
                task=task,
                who=upload.user,
                action="upload-scorer",
                subject=version,
                reason=note,
                details={"number": version.number},
                at=clock.database_now(),
            )
            dispatch.enqueue(CHECK_SCORER, version.public_id)


def organised_by(user: User, metadata: Mapping[str, str]) -> Task:
    task = task_access.tasks(user).filter(slug=metadata.get("task", "")).first()
    if task is None or not roles.organises(user, task):
        raise Refusal("task-unknown", "Only organisers of a task can upload its scorer.", expected="its slug")
    return task


def note_in(metadata: Mapping[str, str]) -> str:
    note = metadata.get("note", "").replace("\0", "").strip()
    if not note or len(note) > MAX_NOTE_LENGTH:
        raise Refusal(
            "note-missing", f"Please say in at most {MAX_NOTE_LENGTH} characters what this version is for."
        )
    return note
