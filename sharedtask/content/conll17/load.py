"""Create the task, its teams and their runs from the data, score them, release gold and publish results.

In: the folder with the data and the organiser. Out: a finished public task. It uses the same functions as the
site, with dates of 2017 for what people did. Steps that are done are skipped, so that an interrupted load
continues where it stopped.
"""

from __future__ import annotations

import hashlib
import io
import shutil
import zipfile
from pathlib import Path

from sharedtask.accounts.models import User
from sharedtask.competition.models import Phase, Task, TestSet
from sharedtask.content.conll17 import finish, local_work
from sharedtask.content.conll17.data import Data, read_data
from sharedtask.content.conll17.processes import process_pool
from sharedtask.content.conll17.task import ANNOUNCED, task_folder
from sharedtask.content.conll17.teams import Participant, participants
from sharedtask.content.conll17.test_set import BadData
from sharedtask.core import storage
from sharedtask.core.storage import Incoming
from sharedtask.folders.apply import apply
from sharedtask.folders.checks import read_folder
from sharedtask.submissions.accept import Upload
from sharedtask.submissions.models import Run
from sharedtask.submissions.workflow import accept_upload
from sharedtask.teams.models import Team
from sharedtask.teams.register import register
from sharedtask.work import dispatch

MAX_LISTED = 10


def load(folder: Path, *, slug: str, organiser: User, jobs: int, report: local_work.Report) -> Task:
    scratch = storage.new_folder()
    try:
        report(f"Unpacking {folder}")
        data = read_data(folder, scratch)
        check_other_sets(data, slug)
        with dispatch.no_messages():
            task = apply(folder=read_folder(task_folder(data, slug)), by=None, at=ANNOUNCED).task
            task.organisers.add(organiser)
            upload_all(task, data, report)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    with process_pool(jobs) as pool, dispatch.no_messages():
        finish.score_all(task, pool, report)
        finish.release(task, organiser, pool, report)
        finish.compute_standings(task, pool, report)
        finish.publish(task, organiser, report)
        finish.pack(task, pool, report)
    return task


def check_other_sets(data: Data, slug: str) -> None:
    """A run contains all files of its team, so a task cannot be loaded in parts."""
    codes = {treebank.code for treebank in data.treebanks}
    loaded = TestSet.objects.filter(task__slug=slug, run_files__isnull=False).exclude(code__in=codes)
    others = list(loaded.order_by("code").values_list("code", flat=True).distinct())
    if others:
        listed = ", ".join(others[:MAX_LISTED])
        if len(others) > MAX_LISTED:
            listed += f" and {len(others) - MAX_LISTED} more"
        raise BadData(
            f"The task {slug} has test sets that are not in this folder: {listed}. Put all test sets into "
            "one folder, or create a separate task with --slug NAME."
        )


def upload_all(task: Task, data: Data, report: local_work.Report) -> None:
    phase = task.phases.get(kind=Phase.Kind.TEST)
    teams = participants(data, phase)
    report(f"{len(data.treebanks)} test sets, {len(teams)} teams")
    for number, participant in enumerate(teams, start=1):
        upload(phase, participant, archive_of(data.outputs_of(participant.key)))
        if number % 10 == 0 or number == len(teams):
            report(f"Uploading: {number} of {len(teams)}")


def upload(phase: Phase, participant: Participant, archive: bytes) -> None:
    team = Team.objects.filter(task=phase.task, name=participant.name).first() or register(
        task=phase.task,
        name=participant.name,
        affiliation=participant.affiliation,
        is_baseline=participant.is_baseline,
        confirmed=True,
        at=phase.opens_at,
    )
    if Run.objects.filter(team=team, sha256=hashlib.sha256(archive).hexdigest()).exists():
        return
    incoming = Incoming()
    incoming.write(archive)
    accept_upload(
        Upload(
            incoming=incoming,
            phase=phase,
            team=team,
            system=team.primary_system,
            uploaded_by=None,
            filename=f"{participant.key}.zip",
            at=participant.submitted_at,
        )
    )


def archive_of(outputs: dict[str, Path]) -> bytes:
    """A zip with a fixed date, so that the same files give the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for code, path in sorted(outputs.items()):
            entry = zipfile.ZipInfo(f"{code}.conllu", date_time=(2017, 5, 20, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes(), compresslevel=1)
    return buffer.getvalue()
