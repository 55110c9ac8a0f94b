"""Production as deploy/ has it: nginx and gunicorn with their real configurations, PostgreSQL, Redis and S3.

Web and workers share nothing else, as if they were on two machines.
"""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import psycopg

from sharedtask.core import keys
from tests.machinery import proxy as nginx
from tests.machinery.site import ROOT, Running, clean_environment, manage, start_server
from tests.pipeline import campaign
from tests.pipeline.people import upload
from tests.pipeline.s3 import Store, serving

MOST_BYTES = 200_000
TEAMS = 2
ORIGIN = {"Host": nginx.NAME, "Origin": f"https://{nginx.NAME}"}


@dataclass(frozen=True, kw_only=True)
class Answer:
    status: int
    headers: http.client.HTTPMessage
    text: str


@dataclass(frozen=True, kw_only=True)
class Site:
    """With teams that can upload to a blind phase, and without a worker: a test starts one with `work`."""

    web: dict[str, str]
    work: dict[str, str]
    store: Store
    server: Running
    proxy: nginx.Proxy
    plan: campaign.Campaign
    sessions: dict[str, str]

    def ask(self, method: str, path: str, body: str | None = None, **headers: str) -> Answer:
        """As a reader somewhere else; headers are written with underscores."""
        connection = self.proxy.connect()
        connection.request(method, path, body, with_hyphens(headers))
        answer = connection.getresponse()
        text = answer.read().decode(errors="replace")
        connection.close()
        return Answer(status=answer.status, headers=answer.headers, text=text)

    def upload(self, team: str, archive: bytes, **headers: str) -> tuple[int, str, str]:
        result = ORIGIN | with_hyphens(headers)
        return upload("", self.sessions[team], archive, headers=result, connection=self.proxy.connect())

    def close_the_phase(self, at: datetime | None) -> None:
        with psycopg.connect(self.web["DATABASE_URL"]) as database:
            database.execute("UPDATE competition_phase SET closes_at = %s", [at])


def with_hyphens(headers: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


@contextmanager
def running(folder: Path, *, database: str, redis_url: str) -> Iterator[Site]:
    with serving(folder) as store:
        web, work = environments(folder, store, database=database, redis_url=redis_url)
        manage("migrate", "--verbosity=0", environment=web)
        manage("collectstatic", "--no-input", "--verbosity=0", environment=web)
        plan = campaign.build(folder / "task", sets=4, blind=True)
        message = run(web, "-m", "tests.pipeline.prepare", str(plan.folder), str(TEAMS))
        server = start_server(web, folder / "server.log")
        try:
            with nginx.running(folder / "nginx", server.url.removeprefix("http://")) as proxy:
                yield Site(
                    web=web,
                    work=work,
                    store=store,
                    server=server,
                    proxy=proxy,
                    plan=plan,
                    sessions=json.loads(message[-1]),
                )
        finally:
            server.stop()


def environments(
    folder: Path, store: Store, *, database: str, redis_url: str
) -> tuple[dict[str, str], dict[str, str]]:
    """Of web and of workers."""
    pair = keys.make(folder / "keys")
    shared = {
        "SECRET_KEY": "q8vK2mZ7xR4tB9nW3cL6pY1sD5fG0hJqUeAiOoTzXwVrMbNk-and-more",
        "GOLD_PUBLIC_KEY": pair.public.read_text().strip(),
        "ALLOWED_HOSTS": nginx.NAME,
        "DATABASE_URL": database,
        "REDIS_URL": redis_url,
        "STATIC_ROOT": str(folder / "static"),
        "UPLOAD_MAX_BYTES": str(MOST_BYTES),
        "METRICS_TOKEN": "secret",
        "ARRIVAL_HEADER": "X-Received-At",
        "GUNICORN_CMD_ARGS": f"--config {ROOT / 'deploy' / 'gunicorn.conf.py'}",
    }
    web, work = (
        clean_environment(
            "sharedtask.settings.production",
            {**shared, **store.environment(who), "DATA_DIR": str(folder / name)},
        )
        for name, who in (("web", store.web), ("worker", store.worker))
    )
    return web, work | {"GOLD_PRIVATE_KEY_FILE": str(pair.private)}


def run(environment: dict[str, str], *command: str) -> list[str]:
    """The lines that a process of the site prints."""
    done = subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()
