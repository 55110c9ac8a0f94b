"""Task folders through the pages: the web process seals and asks, a worker opens, plans, applies and exports.

In: a zip that an organiser uploaded, or a wish for an export. Out: a `FolderJob`, whose state the page
shows. Nothing here lets the web process read gold: a zip that comes in is sealed for the workers at once,
and one that goes out is sealed for the browser that asked, which keeps the key in a cookie.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F
from nacl.encoding import HexEncoder
from nacl.exceptions import CryptoError
from nacl.public import PrivateKey, PublicKey, SealedBox

from sharedtask import clock, handout, storage
from sharedtask.competition import audit
from sharedtask.competition.folder.apply import PlanHasChanged, apply
from sharedtask.competition.folder.checks import read_folder
from sharedtask.competition.folder.export import export
from sharedtask.competition.folder.files import from_zip, to_zip
from sharedtask.competition.folder.plan import Plan, make_plan
from sharedtask.competition.folder.problems import BadTaskFolder, Problem
from sharedtask.competition.folder.read import TaskFolder
from sharedtask.competition.models import FolderJob, Task
from sharedtask.publicid import new_public_id
from sharedtask.seal_stream import unseal_stream
from sharedtask.storage import Incoming
from sharedtask.submissions import reasons

LEASE = timedelta(minutes=10)
PATIENCE = timedelta(seconds=20)
KEPT = timedelta(days=1)
"""How long a zip stays in storage."""
MOST_ATTEMPTS = 3

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class AskedExport:
    job: FolderJob
    key: str
    """Opens the zip. It is given to the browser and not kept."""


def ask_import(*, task: Task | None, sealed: Incoming, by: User, reason: str) -> FolderJob:
    """Without a task it becomes a new one. The zip was sealed on its way in."""
    reason = reasons.required(reason)
    public_id = new_public_id()
    stored = f"folders/{public_id}"
    sealed.keep(stored)
    at = clock.database_now()
    with transaction.atomic():
        job = FolderJob.objects.create(
            public_id=public_id,
            task=task,
            kind=FolderJob.Kind.IMPORT,
            by=by,
            at=at,
            reason=reason,
            stored=stored,
            handed_out_at=at,
        )
        handout.hand_out(handout.FOLDER_JOB, job.public_id)
    return job


def agree(job: FolderJob) -> None:
    """The organiser has read the plan. The worker makes it again and stops if it is not the same."""
    at = clock.database_now()
    with transaction.atomic():
        planned = FolderJob.objects.filter(pk=job.pk, state=FolderJob.State.PLANNED)
        if planned.update(state=FolderJob.State.AGREED, claimed_until=None, attempts=0, handed_out_at=at):
            handout.hand_out(handout.FOLDER_JOB, job.public_id)


def ask_export(*, task: Task, by: User, reason: str) -> AskedExport:
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
            handed_out_at=at,
        )
        audit.write(
            task=task, who=by, action="export-folder", subject=f"task {task.slug}", reason=reason, at=at
        )
        handout.hand_out(handout.FOLDER_JOB, job.public_id)
    return AskedExport(job=job, key=key.encode(HexEncoder).decode())


def opened(job: FolderJob, key: str) -> bytes | None:
    """The zip of an export, with the key from the browser; None where the key is another one's."""
    try:
        box = SealedBox(PrivateKey(key.encode(), HexEncoder))
        return box.decrypt(storage.read(job.stored))
    except (CryptoError, ValueError, TypeError, FileNotFoundError):
        return None


def claim(public_id: str, *, at: datetime | None = None) -> FolderJob | None:
    at = at or clock.database_now()
    waiting = FolderJob.objects.filter(public_id=public_id).waiting_for_a_worker(at=at)
    if not waiting.update(claimed_until=at + LEASE):
        return None
    return FolderJob.objects.select_related("task", "by").get(public_id=public_id)


def work(job: FolderJob) -> None:
    """Only a worker can: it opens the seals."""
    try:
        if job.kind == FolderJob.Kind.EXPORT:
            write_export(job)
        elif job.state == FolderJob.State.WAITING:
            plan_import(job)
        else:
            apply_import(job)
    except BadTaskFolder as error:
        finish(job, FolderJob.State.REFUSED, problems=[problem.as_dict() for problem in error.problems])
    except PlanHasChanged as changed:
        told = [
            "The task has changed since this plan was made; please read the new one.",
            *changed.plan.notes,
        ]
        finish(job, FolderJob.State.PLANNED, plan=changed.plan.lines, notes=told)
    except MemoryError:
        log.warning("folder job %s needs more memory than a worker may have", job.public_id)
        message = "it needs more memory than a worker may use; please make it smaller, or ask the operators"
        problem = Problem(file="the zip", line=None, field="", message=message)
        finish(job, FolderJob.State.REFUSED, problems=[problem.as_dict()])
    except Exception as error:
        log.exception("folder job %s failed on our side", job.public_id)
        failed(job, type(error).__name__)


def plan_import(job: FolderJob) -> None:
    plan = make_plan(folder_of(job))
    if plan.problems:
        raise BadTaskFolder(plan.problems)
    finish(job, FolderJob.State.PLANNED, plan=plan.lines, notes=plan.notes)


def apply_import(job: FolderJob) -> None:
    done = apply(folder=folder_of(job), by=job.by, reason=job.reason, agreed=list(job.plan))
    if job.task is None and job.by is not None:
        done.task.organisers.add(job.by)
    told: Plan = done.plan
    finish(job, FolderJob.State.DONE, task=done.task, plan=told.lines, notes=told.notes)
    storage.remove(job.stored)


def folder_of(job: FolderJob) -> TaskFolder:
    with storage.open_stream(job.stored) as stream:
        folder = read_folder(from_zip(b"".join(unseal_stream(stream))))
    taken = job.task is None and Task.objects.filter(slug=folder.slug).exists()
    if taken or (job.task is not None and job.task.slug != folder.slug):
        expected = job.task.slug if job.task else "a name that no other task has"
        raise BadTaskFolder([folder.task.problem("slug", f"found {folder.slug}, expected {expected}")])
    return folder


def write_export(job: FolderJob) -> None:
    assert job.task is not None
    box = SealedBox(PublicKey(job.public_key.encode(), HexEncoder))
    stored = f"folders/{job.public_id}"
    storage.store(stored, [box.encrypt(to_zip(export(job.task)))])
    finish(job, FolderJob.State.DONE, stored=stored)


def finish(job: FolderJob, state: FolderJob.State, **values: object) -> None:
    at = clock.database_now()
    row = FolderJob.objects.filter(pk=job.pk, state=job.state)
    row.update(state=state, claimed_until=None, finished_at=at, **values)


def failed(job: FolderJob, kind: str) -> None:
    """Tried again by the sweeper; the third failure is the last. What failed is in the worker's log."""
    row = FolderJob.objects.filter(pk=job.pk, state=job.state)
    pause = clock.database_now() + PATIENCE
    row.update(attempts=F("attempts") + 1, failure=kind, claimed_until=pause)
    row.filter(attempts__gte=MOST_ATTEMPTS).update(state=FolderJob.State.FAILED, claimed_until=None)


def sweep(*, at: datetime) -> int:
    """Hand out again what nobody took, and remove zips that were kept for long enough."""
    waiting = FolderJob.objects.waiting_for_a_worker(at=at).filter(handed_out_at__lte=at - PATIENCE)
    ids = list(waiting.values_list("public_id", flat=True))
    for public_id in ids:
        FolderJob.objects.filter(public_id=public_id).update(handed_out_at=at)
        handout.hand_out(handout.FOLDER_JOB, public_id)
    old = FolderJob.objects.filter(at__lte=at - KEPT, state__in=FolderJob.FINAL).exclude(stored="")
    for job in old:
        storage.remove(job.stored)
        problem = Problem(file="the zip", line=None, field="", message="it was kept for a day and is gone")
        if job.state == FolderJob.State.PLANNED:
            finish(job, FolderJob.State.REFUSED, problems=[problem.as_dict()])
        FolderJob.objects.filter(pk=job.pk).update(stored="")
    return len(ids)
