"""A running site whose people use the command `arboretum`: accounts, teams, tokens and codes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from tests.machinery.site import manage
from tests.sharedtask.support.signing_in import Visit

PREPARE = """
from pathlib import Path
from sharedtask.accounts import tokens
from sharedtask.core import clock
from sharedtask.folders.load_task import load_task
from sharedtask.teams.register import register
from tests.sharedtask.support.people import person
task = load_task(Path({folder!r}))
for name in {names!r}:
    member = person(name)
    register(task=task, name=name.title(), members=[member], confirmed=True)
    new = tokens.create_token(
        user=member, name="tests", scopes=["read", "submit"], days=1, at=clock.database_now()
    )
    print("TOKEN " + name + " " + new.secret)
"""


def prepare(environment: Mapping[str, str], folder: Path, *names: str) -> dict[str, str]:
    """Load the task folder; each person has a confirmed team, a password and this token."""
    code = PREPARE.format(folder=str(folder), names=names)
    output = manage("shell", "-c", code, environment=environment)
    return dict(re.findall(r"TOKEN (\w+) (\S+)", output))


def confirm(url: str, name: str, code: str, decision: str = "approve") -> Visit:
    """What a person does in a browser while the command waits."""
    visit = Visit(url)
    visit.sign_in(name)
    visit.post(f"/account/device/?code={code}", {"code": code, "decision": decision}, to="/account/device/")
    return visit
