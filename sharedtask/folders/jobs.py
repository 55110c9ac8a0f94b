"""Task folders on the site: the web process creates a job, a worker plans, applies or exports.

In: a zip that an organiser uploaded, or a request for an export. Out: a `FolderJob`, whose state the page
shows. The web process never reads gold: an uploaded zip is sealed for the workers at once, and an export is
sealed for the browser that requested it, which keeps the key in a cookie.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from nacl.encoding import HexEncoder
from nacl.exceptions import CryptoError
from nacl.public import PrivateKey, PublicKey, SealedBox

from sharedtask.accounts.models import User
from sharedtask.competition import audit, reasons
from sharedtask.competition.models import Task
from sharedtask.core import clock, storage
from sharedtask.core.public_ids import new_public_id
from sharedtask.core.seal_stream import unseal_stream
from sharedtask.core.storage import Incoming
from sharedtask.folders.apply import PlanHasChanged, apply
from sharedtask.folders.checks import read_folder
from sharedtask.folders.correct_gold import correct_gold
from sharedtask.folders.export import export
from sharedtask.folders.files import from_zip, to_zip
from sharedtask.folders.models import FolderJob, FolderJobQuerySet
from sharedtask.folders.plan import Plan, make_plan
from sharedtask.folders.problems import BadTaskFolder, Problem
from sharedtask.folders.read import TaskFolder
from sharedtask.work import dispatch
from sharedtask.work.failure import Failure
from sharedtask.work.kinds import WorkKind
from sharedtask.work.lease import fresh_lease, released
from sharedtask.work.retry import RetryPolicy
from sharedtask.work.targets import FOLDER_JOB

RETENTION = timedelta(days=1)
"""How long a zip stays in storage."""
TOO_MUCH_MEMORY = Problem(
    file="the zip",
    line=None,
    field="",
    message="it needs more memory than a worker may use; make it smaller, or ask the administrators",
)
PLAN_CHANGED = "The task has changed since this plan was made. Please review the new plan."


@dataclass(frozen=True, kw_only=True)
class ExportRequest:
    job: FolderJob
    key: str
    """Decrypts the zip. It is sent to the browser and not stored."""


def request_import(*, task: Task | None, sealed: Incoming, by: User, reason: str) -> FolderJob:
    """Without `task`, the import creates a new one."""
    return request(sealed, reason, task=task, kind=FolderJob.Kind.IMPORT, by=by)


def request_correction(*, task: Task, code: str, sealed: Incoming, by: User, reason: str) -> FolderJob:
    """A single gold file; `reason` becomes the note of the new version."""
    test_set = task.test_sets.get(code=code)
    return request(sealed, reason, task=task, test_set=test_set, kind=FolderJob.Kind.CORRECTION, by=by)


def request(sealed: Incoming, reason: str, **values: Any) -> FolderJob:
    """The file is already sealed. `values` are other fields of the job."""
    reason = reasons.required(reason)
    public_id = new_public_id()
    stored = f"folders/{public_id}"
    sealed.commit(stored)
    at = clock.database_now()
    with transaction.atomic():
        job = FolderJob.objects.create(
            public_id=public_id, at=at, reason=reason, stored=stored, dispatched_at=at, **values
        )
        dispatch.enqueue(FOLDER_JOB, job.public_id)
    return job


def approve(job: FolderJob) -> None:
    """The organiser approves the plan. The worker makes it again and stops if it has changed."""
    at = clock.database_now()
    with transaction.atomic():
        planned = FolderJob.objects.filter(pk=job.pk, state=FolderJob.State.PLANNED)
        if planned.update(state=FolderJob.State.APPROVED, **fresh_lease(at)):
            dispatch.enqueue(FOLDER_JOB, job.public_id)


def request_export(*, task: Task, by: User, reason: str) -> ExportRequest:
    reason = reasons.required(reason)
    key = PrivateKey.generate()
    at = clock.database_now()
    with transaction.atomic():
        job = FolderJob.objects.create(
            task=task,
            kind=FolderJob.Kind.EXPORT,
            by=by,
            at=at,
            reason=reason,
            public_key=key.public_key.encode(HexEncoder).decode(),
            dispatched_at=at,
        )
        audit.write(
            task=task, who=by, action="export-folder", subject=f"task {task.slug}", reason=reason, at=at
        )
        dispatch.enqueue(FOLDER_JOB, job.public_id)
    return ExportRequest(job=job, key=key.encode(HexEncoder).decode())


def open_export(job: FolderJob, key: str) -> bytes | None:
    """Decrypt the zip of an export with the key from the browser; None if the key does not fit."""
    try:
        box = SealedBox(PrivateKey(key.encode(), HexEncoder))
        return box.decrypt(storage.read(job.stored))
    except (CryptoError, ValueError, TypeError, FileNotFoundError):
        return None


class FolderWork(WorkKind[FolderJob]):
    """Workers only: it needs the private key."""

    target = FOLDER_JOB
    stage = "folder"
    related = ("task", "test_set__task", "by")
    retries = RetryPolicy(max_attempts=3, max_losses=3, first_pause=timedelta(seconds=20))

    def waiting(self) -> FolderJobQuerySet:
        return FolderJob.objects.waiting_for_a_worker()

    def process(self, row: FolderJob) -> None:
        if row.kind == FolderJob.Kind.EXPORT:
            write_export(row)
        elif row.kind == FolderJob.Kind.CORRECTION:
            apply_correction(row)
        elif row.state == FolderJob.State.WAITING:
            plan_import(row)
        else:
            apply_import(row)

    def handle(self, row: FolderJob, error: Exception, failure: Failure) -> bool:
        if isinstance(error, BadTaskFolder):
            problems = [problem.as_dict() for problem in error.problems]
            finish(row, FolderJob.State.REFUSED, problems=problems)
            return True
        if isinstance(error, PlanHasChanged):
            plan = error.plan
            finish(
                row,
                FolderJob.State.PLANNED,
                plan=plan.lines,
                notes=[PLAN_CHANGED, *plan.notes],
                disclosures=plan.disclosures,
            )
            return True
        if isinstance(error, MemoryError):
            finish(row, FolderJob.State.REFUSED, problems=[TOO_MUCH_MEMORY.as_dict()])
            return True
        return False

    def give_up(self, row: FolderJob, failure: Failure) -> None:
        finish(row, FolderJob.State.FAILED)

    def discover(self, *, at: datetime) -> None:
        remove_old_zips(at=at)

    def log_fields(self, row: FolderJob) -> dict[str, str]:
        return {"job": row.public_id}


def plan_import(job: FolderJob) -> None:
    plan = make_plan(read_job_folder(job))
    if plan.problems:
        raise BadTaskFolder(plan.problems)
    finish(job, FolderJob.State.PLANNED, plan=plan.lines, notes=plan.notes, disclosures=plan.disclosures)


def apply_import(job: FolderJob) -> None:
    result = apply(folder=read_job_folder(job), by=job.by, reason=job.reason, approved_lines=list(job.plan))
    if job.task is None and job.by is not None:
        result.task.organisers.add(job.by)
    plan: Plan = result.plan
    finish(
        job,
        FolderJob.State.DONE,
        task=result.task,
        plan=plan.lines,
        notes=plan.notes,
        disclosures=plan.disclosures,
    )
    storage.remove(job.stored)


def apply_correction(job: FolderJob) -> None:
    assert job.test_set is not None
    with storage.open_stream(job.stored) as stream:
        content = b"".join(unseal_stream(stream))
    with transaction.atomic():
        version = correct_gold(test_set=job.test_set, content=content, by=job.by, note=job.reason)
        line = f"gold version {version.number} of {job.test_set.code}"
        finish(job, FolderJob.State.DONE, plan=[line])
    storage.remove(job.stored)


def read_job_folder(job: FolderJob) -> TaskFolder:
    with storage.open_stream(job.stored) as stream:
        folder = read_folder(from_zip(b"".join(unseal_stream(stream))))
    taken = job.task is None and Task.objects.filter(slug=folder.slug).exists()
    if taken or (job.task is not None and job.task.slug != folder.slug):
        expected = job.task.slug if job.task else "a slug that no other task uses"
        raise BadTaskFolder([folder.task.problem("slug", f"found {folder.slug}, expected {expected}")])
    return folder


def write_export(job: FolderJob) -> None:
    assert job.task is not None
    box = SealedBox(PublicKey(job.public_key.encode(), HexEncoder))
    stored = f"folders/{job.public_id}"
    storage.store(stored, [box.encrypt(to_zip(export(job.task)))])
    finish(job, FolderJob.State.DONE, stored=stored)


def finish(job: FolderJob, state: FolderJob.State, **values: object) -> None:
    row = FolderJob.objects.filter(pk=job.pk, state=job.state)
    row.update(state=state, finished_at=clock.database_now(), **released(), **values)


def remove_old_zips(*, at: datetime) -> None:
    """Delete zips after their retention time."""
    expired = FolderJob.objects.filter(at__lte=at - RETENTION, state__in=FolderJob.FINAL).exclude(stored="")
    for job in expired:
        storage.remove(job.stored)
        problem = Problem(
            file="the zip",
            line=None,
            field="",
            message="it was deleted after one day; please upload it again",
        )
        if job.state == FolderJob.State.PLANNED:
            finish(job, FolderJob.State.REFUSED, problems=[problem.as_dict()])
        FolderJob.objects.filter(pk=job.pk).update(stored="")
