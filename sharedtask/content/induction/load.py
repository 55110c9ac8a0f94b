"""Load the induction demo: the task from its folder, and the runs of its fictional teams.

In: the folder of the first demo task, whose treebanks it uses, and the accounts of its teams. Out: the task.
Loading it again changes nothing: the same files give the same SHA-256.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from pathlib import Path

from sharedtask.accounts.models import User
from sharedtask.competition.models import Task
from sharedtask.content.induction.systems import SERIES, SYSTEMS, InducedSystem, output_of
from sharedtask.content.induction.treebanks import nine_columns, with_prepositions_as_heads
from sharedtask.core.storage import Incoming
from sharedtask.folders.apply import apply
from sharedtask.folders.checks import read_folder
from sharedtask.folders.files import FilesInMemory
from sharedtask.folders.problems import TASK_FILE
from sharedtask.submissions.accept import Upload
from sharedtask.submissions.models import Run
from sharedtask.submissions.workflow import accept_upload
from sharedtask.teams.models import Team
from sharedtask.teams.register import register

TASK_YAML = Path(__file__).with_name(TASK_FILE)
DATE = (2026, 1, 1, 0, 0, 0)


def load_induction(folder: Path, users: dict[str, User]) -> Task:
    """`users` has the account of each team by its name in lower case."""
    treebanks = {path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.glob("gold/*.conllu"))}
    files = {f"gold/{code}.conllu": nine_columns(text).encode() for code, text in treebanks.items()}
    prepositions = nine_columns(with_prepositions_as_heads(treebanks["es_cocina"]))
    files["gold/es_cocina/prepositions.conllu"] = prepositions.encode()
    files[TASK_FILE] = TASK_YAML.read_bytes()
    task = apply(folder=read_folder(FilesInMemory(files)), by=None).task
    for system in (*SYSTEMS, *SERIES):
        upload(task, system, treebanks, users[system.team.lower()])
    return task


def upload(task: Task, system: InducedSystem, treebanks: dict[str, str], user: User) -> None:
    """Unless it has been uploaded before."""
    team = Team.objects.filter(task=task, name=system.team).first() or register(
        task=task, name=system.team, members=[user], confirmed=True
    )
    archive = archive_of(system, treebanks)
    if Run.objects.filter(team=team, sha256=hashlib.sha256(archive).hexdigest()).exists():
        return
    incoming = Incoming()
    incoming.write(archive)
    accept_upload(
        Upload(
            incoming=incoming,
            phase=task.phases.earliest("opens_at"),
            team=team,
            system=team.systems.get_or_create(name=system.name)[0] if system.name else team.primary_system,
            track=system.track,
            training_size=system.sentences,
            training_sample=system.sample,
            uploaded_by=user,
            filename=f"{system.team.lower()}-{system.name or system.track}.zip",
        )
    )


def archive_of(system: InducedSystem, treebanks: dict[str, str]) -> bytes:
    """A zip with a fixed date, so that the same files give the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for code, gold in treebanks.items():
            if code != system.omits:
                entry = zipfile.ZipInfo(f"{code}.conllu", date_time=DATE)
                archive.writestr(entry, output_of(system, gold, code).encode())
    return buffer.getvalue()
