"""A backup taken while runs come in restores to a state without a row that has lost its file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from django.apps import apps

from sharedtask.operations import backup
from tests.conftest import StartProcess
from tests.machinery.postgres import Postgres, debian_programs, wheel_programs
from tests.machinery.site import ROOT, manage
from tests.pipeline import campaign, outcome
from tests.pipeline.people import Answers, upload_until_received

pytestmark = pytest.mark.slow


def programs() -> Path:
    """Of the same release as the server that the tests run."""
    return (debian_programs() + wheel_programs())[0]


def script(name: str, folder: Path, environment: dict[str, str], **commands: str) -> str:
    done = subprocess.run(
        [str(ROOT / "deploy" / name), str(folder)],
        cwd=ROOT, env={**environment, **commands}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_backup_taken_during_load_restores_whole(
    tmp_path: Path,
    postgres: Postgres,
    on_postgres: dict[str, str],
    server: StartProcess,
    worker: StartProcess,
) -> None:
    plan = campaign.build(tmp_path / "task", sets=4)
    prepared = subprocess.run(
        [sys.executable, "-m", "tests.pipeline.prepare", str(plan.folder), "4"],
        cwd=ROOT, env=on_postgres, capture_output=True, text=True, check=True,
    )  # fmt: skip
    sessions = json.loads(prepared.stdout.splitlines()[-1])
    site = server(on_postgres)
    worker(on_postgres)
    answers, stop = Answers(), threading.Event()

    def person(team: str, session: str) -> None:
        number = 0
        while not stop.is_set():
            number += 1
            archive, _ = plan.archive(team, number)
            until = time.monotonic() + 30
            upload_until_received(site.url, session, f"{team}/{number}", archive, answers, until=until)
            time.sleep(0.3)

    people = [threading.Thread(target=person, args=item, daemon=True) for item in sessions.items()]
    for thread in people:
        thread.start()
    while len(answers.receipts) < 8:
        time.sleep(0.1)
    before = set(answers.receipts.values())
    key = Path(on_postgres["DATA_DIR"]) / "keys" / "gold.private"
    manage_command = f"{sys.executable} manage.py"
    script(
        "backup.sh",
        tmp_path / "backup",
        {**on_postgres, "GOLD_PRIVATE_KEY_FILE": str(key)},
        PG_DUMP=f"{programs()}/pg_dump {on_postgres['DATABASE_URL']}",
        MANAGE=manage_command,
    )
    stop.set()
    for thread in people:
        thread.join()
    assert len(answers.receipts) > len(before), "nothing came in while the backup was taken"

    fresh = {
        **on_postgres,
        "DATABASE_URL": postgres.create_database(f"restored_{os.getpid()}"),
        "DATA_DIR": str(tmp_path / "restored"),
        "GOLD_PRIVATE_KEY_FILE": str(key),
    }
    message = script(
        "restore.sh",
        tmp_path / "backup",
        fresh,
        PG_RESTORE=f"{programs()}/pg_restore --dbname {fresh['DATABASE_URL']}",
        MANAGE=manage_command,
    )
    assert "All files are present." in message
    restored = outcome.read(fresh)
    assert before <= set(restored.runs), "a run that was receipted before the backup began is not in it"

    archive = tmp_path / "restored" / "files" / "uploads" / next(iter(restored.runs))
    archive.write_bytes(b"damaged")
    with pytest.raises(AssertionError, match="has changed: found SHA-256"):
        manage("files", "check", environment=fresh)
    archive.unlink()
    with pytest.raises(AssertionError, match="is missing"):
        manage("files", "check", environment=fresh)


def test_every_field_that_names_a_file_is_backed_up() -> None:
    results = {
        f"{model._meta.app_label}.{model.__name__}.{field.name}"
        for model in apps.get_models()
        for field in model._meta.fields
        if str(getattr(field, "help_text", "")).startswith("Name in storage")
    }
    assert results == set(backup.NAMES) | backup.TEMPORARY
