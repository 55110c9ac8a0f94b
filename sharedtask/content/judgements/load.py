"""Create a finished campaign, with its task and systems, from folders of judgements.

In: the folders and the organiser. Out: a campaign with published results. It uses the same functions as the
site. A campaign that exists already is left as it is, and an interrupted load continues.
"""

from __future__ import annotations

import hashlib
import io
import shutil
import zipfile
from datetime import timedelta
from pathlib import Path

from sharedtask.accounts.models import User
from sharedtask.competition.models import GoldVersion, Phase, Task
from sharedtask.competition.prepare_gold import UNPREPARED
from sharedtask.content.conll17 import finish, local_work
from sharedtask.content.judgements.campaign import create_campaign
from sharedtask.content.judgements.read import JudgedData, read_data
from sharedtask.content.judgements.task import DURATION, PHASE, Choices, task_folder
from sharedtask.core import clock, storage
from sharedtask.core.storage import Incoming
from sharedtask.folders.apply import apply
from sharedtask.folders.checks import read_folder
from sharedtask.judgements.analyse import AnalyseCampaign, request_analysis
from sharedtask.judgements.models import Campaign
from sharedtask.submissions.accept import Upload
from sharedtask.submissions.models import Run
from sharedtask.submissions.workflow import accept_upload
from sharedtask.teams.models import Team
from sharedtask.teams.register import register
from sharedtask.work import dispatch

ENTRY_DATE = (2015, 7, 30, 0, 0, 0)


def load(place: Path, *, choices: Choices, organiser: User, report: local_work.Report) -> Campaign:
    scratch = storage.new_folder()
    try:
        data = read_data(place, scratch)
        title = choices.title or str(data.settings.get("title", "")) or "Human judgements"
        if existing := Campaign.objects.filter(task__slug=choices.slug, title=title).first():
            report(f"{title} has been loaded before; nothing changes.")
            return existing
        with dispatch.no_messages():
            task = create_task(data, choices, title, organiser)
            runs = upload_all(task, data)
            finish.score_all(task, None, report)
            prepare_gold(task, report)
            campaign = create_campaign(task, data, runs, by=organiser, title=title, choices=choices)
            report(f"{campaign.items.count()} items, {campaign.annotators.count()} annotators")
            request_analysis(campaign)
            local_work.process(AnalyseCampaign(), [campaign.pk])
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return campaign


def create_task(data: JudgedData, choices: Choices, title: str, organiser: User) -> Task:
    phase = Phase.objects.filter(task__slug=choices.slug, code=PHASE).first()
    opens_at = phase.opens_at if phase else (clock.database_now() - 2 * DURATION).replace(microsecond=0)
    files = task_folder(data, choices, title=title, opens_at=opens_at)
    task = apply(folder=read_folder(files), by=None, at=opens_at).task
    task.organisers.add(organiser)
    return task


def upload_all(task: Task, data: JudgedData) -> dict[str, Run]:
    """One run per system, by its name."""
    outputs: dict[str, dict[str, bytes]] = {}
    for folder in data.folders:
        for name, path in zip(folder.systems, folder.outputs, strict=True):
            outputs.setdefault(name, {})[folder.code] = path.read_bytes()
    phase = task.phases.get(code=PHASE)
    return {name: upload(phase, name, files) for name, files in outputs.items()}


def upload(phase: Phase, name: str, files: dict[str, bytes]) -> Run:
    at = phase.opens_at + timedelta(minutes=1)
    team = Team.objects.filter(task=phase.task, name=name).first() or register(
        task=phase.task, name=name, confirmed=True, at=at
    )
    archive = archive_of(files)
    uploaded = Run.objects.filter(team=team, sha256=hashlib.sha256(archive).hexdigest()).first()
    if uploaded is not None:
        return uploaded
    incoming = Incoming()
    incoming.write(archive)
    return accept_upload(
        Upload(
            incoming=incoming,
            phase=phase,
            team=team,
            system=team.primary_system,
            uploaded_by=None,
            filename="judged.zip",
            at=at,
        )
    )


def archive_of(files: dict[str, bytes]) -> bytes:
    """A zip with a fixed date, so that the same files give the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for code, content in sorted(files.items()):
            archive.writestr(zipfile.ZipInfo(f"{code}.conllu", date_time=ENTRY_DATE), content)
    return buffer.getvalue()


def prepare_gold(task: Task, report: local_work.Report) -> None:
    unprepared = GoldVersion.objects.filter(UNPREPARED, test_set__task=task)
    local_work.process_all(
        "Releasing gold",
        local_work.prepare,
        ready=lambda: finish.keys_of(unprepared),
        left=unprepared.exists,
        pool=None,
        report=report,
    )
