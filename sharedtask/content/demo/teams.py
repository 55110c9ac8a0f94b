"""The teams of the demo task: their error rates and the archives they upload.

In: the loaded demo task and its folder. Out: teams with one accepted run each. The archives are made from
gold by `corrupt.py` with the team's name as the seed; they are accepted like any upload, and workers check
and score them. Loading again uploads nothing: the same files give the same SHA-256.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from dataclasses import dataclass
from pathlib import Path

import conllu

from sharedtask.accounts.models import User
from sharedtask.competition.models import Task
from sharedtask.content.demo.corrupt import Rates, corrupt
from sharedtask.core.storage import Incoming
from sharedtask.submissions.accept import Upload
from sharedtask.submissions.models import Run
from sharedtask.submissions.workflow import accept_upload
from sharedtask.teams.models import Team
from sharedtask.teams.register import register


@dataclass(frozen=True, kw_only=True)
class DemoTeam:
    name: str
    rates: Rates
    is_baseline: bool = False
    omits: str = ""
    """Code of a treebank for which the team submits no file."""
    breaks: str = ""
    """Code of a treebank with an invalid file: it has two roots and is truncated."""


TEAMS = (
    DemoTeam(
        name="Baseline",
        rates=Rates(boundaries=0.20, tokens=0.04, multiword=0.50, heads=0.20, labels=0.12, tags=0.08),
        is_baseline=True,
    ),
    DemoTeam(
        name="Linden",
        rates=Rates(boundaries=0.05, tokens=0.01, multiword=0.05, heads=0.08, labels=0.05, tags=0.03),
    ),
    DemoTeam(
        name="Rowan",
        rates=Rates(boundaries=0.08, tokens=0.01, multiword=0.10, heads=0.11, labels=0.06, tags=0.04),
    ),
    DemoTeam(
        name="Hornbeam",
        rates=Rates(boundaries=0.03, tokens=0.005, multiword=0.0, heads=0.07, labels=0.04, tags=0.02),
        breaks="ja_eki",
    ),
    DemoTeam(
        name="Juniper",
        rates=Rates(boundaries=0.10, tokens=0.02, multiword=0.30, heads=0.15, labels=0.09, tags=0.06),
        omits="sl_pogovor",
    ),
)


def upload_demo_runs(task: Task, folder: Path, users: dict[str, User]) -> list[Run]:
    """Upload missing runs. `users` has the account of each team by its name."""
    runs = []
    for demo_team in TEAMS:
        user = users[demo_team.name]
        team = Team.objects.filter(task=task, name=demo_team.name).first() or register(
            task=task,
            name=demo_team.name,
            members=[user],
            is_baseline=demo_team.is_baseline,
            confirmed=True,
        )
        archive = archive_of(demo_team, task, folder)
        sha256 = hashlib.sha256(archive).hexdigest()
        if Run.objects.filter(team=team, sha256=sha256).exists():
            continue
        incoming = Incoming()
        incoming.write(archive)
        filename = f"{demo_team.name.lower()}.zip"
        runs.append(
            accept_upload(
                Upload(
                    incoming=incoming,
                    phase=task.phases.earliest("opens_at"),
                    team=team,
                    system=team.primary_system,
                    uploaded_by=user,
                    filename=filename,
                )
            )
        )
    return runs


def archive_of(team: DemoTeam, task: Task, folder: Path) -> bytes:
    """A zip with a fixed date, so that the same files give the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for code in task.test_sets.values_list("code", flat=True):
            if code == team.omits:
                continue
            gold = (folder / "gold" / f"{code}.conllu").read_text(encoding="utf-8")
            output = corrupt(gold, team.rates, seed=f"{team.name}/{code}")
            if code == team.breaks:
                output = break_file(output)
            entry = zipfile.ZipInfo(f"{team.name.lower()}/{code}.conllu", date_time=(2026, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, output.encode())
    return buffer.getvalue()


def break_file(output: str) -> str:
    """Make a file invalid in realistic ways: a second root in the fourth sentence, and a truncated end."""
    sentences = conllu.parse(output)
    second = next(word for word in sentences[3] if word["head"])
    second.update(head=0, deprel="root")
    return "".join(sentence.serialize() for sentence in sentences).rstrip("\n")[:-20]
