"""A running site with a task and two teams, for tests that send uploads over real connections."""

from __future__ import annotations

import hashlib
import random
import re
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from tests.machinery.site import manage
from tests.sharedtask.support.building import task_folder

CSRF = "c" * 32
PREPARE = """
from importlib import import_module
from pathlib import Path
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from sharedtask.accounts.models import User
from sharedtask.folders.load_task import load_task
from sharedtask.teams.register import register
task = load_task(Path({folder!r}))
task.phases.update(software=True)
for name in ("alder", "beech"):
    member = User.objects.create_user(name)
    register(task=task, name=name.title(), members=[member], confirmed=True)
    session = import_module(settings.SESSION_ENGINE).SessionStore()
    session[SESSION_KEY] = str(member.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = member.get_session_auth_hash()
    session.save()
    print("SESSION " + name + " " + session.session_key)
"""
RUNS = """
SELECT run.public_id, team.name, run.sha256 FROM submissions_run run
JOIN teams_team team ON team.id = run.team_id ORDER BY run.id
"""

WRITER = "SELECT writer FROM uploads_resumableupload WHERE public_id = ?"


@dataclass(frozen=True, kw_only=True)
class ReceivedRun:
    public_id: str
    team: str
    sha256: str


@dataclass(frozen=True, kw_only=True)
class LiveSite:
    environment: Mapping[str, str]
    sessions: Mapping[str, str]

    def headers(self, name: str) -> dict[str, str]:
        """Of a request by this person, as a browser would send it."""
        cookie = f"sessionid={self.sessions[name]}; csrftoken={CSRF}"
        return {"Cookie": cookie, "X-CSRFToken": CSRF, "Referer": "https://localhost/"}

    def runs(self) -> list[ReceivedRun]:
        """All of them, in order of receipt."""
        return [ReceivedRun(public_id=row[0], team=row[1], sha256=row[2]) for row in self.select(RUNS)]

    def writer(self, address: str) -> str:
        """The request that may append to the upload at this address; empty if there was none yet."""
        ((writer,),) = self.select(WRITER, address.strip("/").split("/")[-1])
        return str(writer)

    def select(self, query: str, *values: str) -> list[tuple[str, ...]]:
        """From the database of an embedded site."""
        with closing(sqlite3.connect(Path(self.environment["DATA_DIR"]) / "db.sqlite3")) as database:
            return database.execute(query, values).fetchall()


def prepare(environment: Mapping[str, str], folder: Path) -> LiveSite:
    code = PREPARE.format(folder=str(task_folder(folder)))
    output = manage("shell", "-c", code, environment=environment)
    return LiveSite(environment=environment, sessions=dict(re.findall(r"SESSION (\w+) (\w+)", output)))


def random_file(path: Path, size: int, seed: int = 0) -> str:
    """Returns its SHA-256. The site accepts any bytes, and checks later whether they are an archive."""
    source, sha256 = random.Random(seed), hashlib.sha256()
    with path.open("wb") as stream:
        while size > 0:
            chunk = source.randbytes(min(size, 1024 * 1024))
            stream.write(chunk)
            sha256.update(chunk)
            size -= len(chunk)
    return sha256.hexdigest()
