"""Web and workers as on two machines: nothing in common but PostgreSQL, Redis and an S3 endpoint."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sharedtask import keys
from tests.conftest import StartProcess
from tests.machinery.postgres import Postgres
from tests.machinery.site import ROOT, clean_environment, manage, start_worker
from tests.pipeline import campaign, outcome
from tests.pipeline.people import upload
from tests.pipeline.s3 import FILES, SEALED, serving

pytestmark = pytest.mark.slow
HOST = "tasks.example.org"
BEHIND_THE_PROXY = {"Host": HOST, "X-Forwarded-Proto": "https", "Origin": f"https://{HOST}"}
READ = """
import django, sys
django.setup()
from sharedtask import sealing, storage
from sharedtask.competition.models import GoldVersion
from sharedtask.submissions.models import Score
gold, counts = GoldVersion.objects.earliest("pk").sealed, Score.objects.earliest("pk").units
for name in (gold, counts):
    try:
        print(len(sealing.unseal(storage.read(name))) > 0)
    except Exception as error:
        print(type(error).__name__)
"""


def run(environment: dict[str, str], *command: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def files_below(folder: Path) -> list[str]:
    return sorted(str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file())


def test_a_run_goes_through_and_the_web_side_is_refused_gold(
    tmp_path: Path, postgres: Postgres, redis_url: str, server: StartProcess
) -> None:
    pair = keys.make(tmp_path / "keys")
    with serving(tmp_path) as store:
        shared = {
            "SECRET_KEY": "q8vK2mZ7xR4tB9nW3cL6pY1sD5fG0hJqUeAiOoTzXwVrMbNk-and-more",
            "GOLD_PUBLIC_KEY": pair.public.read_text().strip(),
            "ALLOWED_HOSTS": HOST,
            "DATABASE_URL": postgres.create_database("two_hosts"),
            "REDIS_URL": redis_url,
        }
        web, work = (
            clean_environment(
                "sharedtask.settings.production",
                {**shared, **store.environment(who), "DATA_DIR": str(tmp_path / name)},
            )
            for name, who in (("web", store.web), ("worker", store.worker))
        )
        web["STATIC_ROOT"] = work["STATIC_ROOT"] = str(tmp_path / "static")
        work["GOLD_PRIVATE_KEY_FILE"] = str(pair.private)
        manage("migrate", "--verbosity=0", environment=web)
        manage("collectstatic", "--no-input", "--verbosity=0", environment=web)
        plan = campaign.build(tmp_path / "task", sets=4, blind=True)
        sessions = json.loads(run(web, "-m", "tests.pipeline.prepare", str(plan.folder), "2")[-1])

        site = server(web)
        worker = start_worker(work, tmp_path / "worker.log")
        try:
            expected = {}
            for team, session in sessions.items():
                archive, files = plan.archive(team, 0)
                status, location, text = upload(site.url, session, archive, headers=BEHIND_THE_PROXY)
                assert status == 302, f"{text} {site.log.read_text()}"
                expected[location.strip("/").rsplit("/", 1)[-1]] = plan.expected(files)
            end = time.monotonic() + 60
            while (found := outcome.read(web)).unfinished or found.wanted:
                assert time.monotonic() < end, worker.log.read_text()
                time.sleep(0.3)
        finally:
            worker.stop()
        assert found.found == expected
        assert len(found.table["rows"]) == 2

        assert run(work, "-c", READ) == ["True", "True"]
        assert run(web, "-c", READ) == ["RefusedByStorage", "RefusedByStorage"]
        listed = {
            bucket: {
                item["Key"].split("/")[0]
                for item in store.client(store.worker).list_objects_v2(Bucket=bucket)["Contents"]
            }
            for bucket in (FILES, SEALED)
        }
        assert listed == {FILES: {"uploads", "outputs", "inputs"}, SEALED: {"gold", "counts"}}
    assert files_below(tmp_path / "web" / "files") == []
    assert files_below(tmp_path / "worker" / "files") == []


def test_logs_carry_the_run_from_upload_to_score_as_json(tmp_path: Path) -> None:
    """The formatter of the production profile, fed by a step that knows its run."""
    script = """
import django, logging
django.setup()
from sharedtask import logs
with logs.about(run="abc", stage="check"):
    logging.getLogger("sharedtask.somewhere").info("checked %s files", 3)
"""
    environment = clean_environment(
        "sharedtask.settings.production",
        {
            "SECRET_KEY": "x" * 60,
            "GOLD_PUBLIC_KEY": "9d1a" * 16,
            "ALLOWED_HOSTS": HOST,
            "DATABASE_URL": "postgresql://user@localhost/none",
            "REDIS_URL": "redis://localhost:1/0",
            "STORAGE": "disk",
            "DATA_DIR": str(tmp_path),
        },
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    told = json.loads(done.stderr.splitlines()[-1])
    assert (told["run"], told["stage"], told["message"]) == ("abc", "check", "checked 3 files")
