"""The profiles: which one runs is said, never guessed, and production does not start half-configured."""

import http.client
import os
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.core.exceptions import ImproperlyConfigured

from serve.redis import address_file
from sharedtask.settings import environment
from tests.conftest import StartProcess
from tests.machinery.postgres import Postgres
from tests.machinery.site import ROOT, clean_environment, manage

COMPLETE = {
    "SECRET_KEY": "q8vK2mZ7xR4tB9nW3cL6pY1sD5fG0hJqUeAiOoTzXwVrMbNk-and-more",
    "GOLD_PUBLIC_KEY": "9d1a" * 16,
    "ALLOWED_HOSTS": "tasks.example.org,.example.net",
    "DATABASE_URL": "postgresql://user:pa%40ss@database.example.org:5433/trees?sslmode=require",
    "REDIS_URL": "redis://:secret@broker.example.org:6379/0",
    "S3_BUCKET": "trees",
    "S3_SEALED_BUCKET": "trees-sealed",
    "S3_ACCESS_KEY_ID": "web",
    "S3_SECRET_ACCESS_KEY": "a secret of the web process",
}


def production(**changes: str) -> dict[str, str]:
    return clean_environment("sharedtask.settings.production", COMPLETE | changes)


def run(*command: str, environment: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("value", ["", "  ", None], ids=["empty", "blank", "unset"])
@pytest.mark.parametrize("name", sorted(COMPLETE))
def test_production_refuses_to_start_without(name: str, value: str | None, tmp_path: Path) -> None:
    values = production(DATA_DIR=str(tmp_path))
    if value is None:
        del values[name]
    else:
        values[name] = value
    done = run("-c", "import sharedtask.settings.production", environment=values)
    assert done.returncode != 0
    assert f"ImproperlyConfigured: Set the environment variable {name};" in done.stderr


def test_production_passes_the_deployment_check_without_a_warning(tmp_path: Path) -> None:
    done = run(
        "-W", "error", "manage.py", "check", "--deploy", "--fail-level", "DEBUG",
        environment=production(DATA_DIR=str(tmp_path)),
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    assert "no issues (0 silenced)" in done.stdout


@pytest.mark.parametrize("url", ["redis://broker.example.org:6379/0", "rediss://:@broker.example.org/0"])
def test_a_broker_without_a_password_is_warned_of(tmp_path: Path, url: str) -> None:
    environment = production(DATA_DIR=str(tmp_path), REDIS_URL=url)
    done = run("manage.py", "check", environment=environment)
    assert done.returncode == 0
    assert "(sharedtask.W001) REDIS_URL has no password" in done.stderr


def broker_of_commands(folder: Path, **values: str) -> str:
    environment = clean_environment("sharedtask.settings.embedded", {"DATA_DIR": str(folder), **values})
    program = "from sharedtask.settings.embedded import CELERY_BROKER_URL; print(CELERY_BROKER_URL)"
    return run("-c", program, environment=environment).stdout.strip()


def test_commands_use_the_broker_that_make_serve_started(tmp_path: Path) -> None:
    with address_file(tmp_path, "redis://:secret@127.0.0.1:4711/0"):
        assert stat.S_IMODE((tmp_path / "broker.url").stat().st_mode) == 0o600
        assert broker_of_commands(tmp_path) == "redis://:secret@127.0.0.1:4711/0"
        other = "redis://broker.example.org/0"
        assert broker_of_commands(tmp_path, REDIS_URL=other) == other


def test_commands_wait_for_no_broker_while_the_site_does_not_run(tmp_path: Path) -> None:
    with address_file(tmp_path, "redis://:secret@127.0.0.1:4711/0"):
        pass
    assert broker_of_commands(tmp_path) == "memory://"


def test_production_answers_behind_its_proxy(
    tmp_path: Path, postgres: Postgres, redis_url: str, server: StartProcess
) -> None:
    values = production(
        DATA_DIR=str(tmp_path / "data"),
        STATIC_ROOT=str(tmp_path / "static"),
        DATABASE_URL=postgres.create_database("behind_a_proxy"),
        REDIS_URL=redis_url,
    )
    manage("migrate", "--verbosity=0", environment=values)
    manage("collectstatic", "--no-input", "--verbosity=0", environment=values)
    site = server(values)
    plain = _request(site.url, Host="tasks.example.org")
    assert plain.startswith("301"), plain
    assert "Location: https://tasks.example.org/" in plain
    secure = _request(site.url, Host="tasks.example.org", X_Forwarded_Proto="https")
    assert secure.startswith("200"), secure + site.log.read_text()
    assert "strict-transport-security: max-age=31536000" in secure.lower()
    assert _request(site.url, Host="evil.example", X_Forwarded_Proto="https").startswith("400")


def _request(url: str, **headers: str) -> str:
    """Status and headers as they came, with no redirection followed."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=20)
    connection.putrequest("GET", "/", skip_host=True)
    for name, value in headers.items():
        connection.putheader(name.replace("_", "-"), value)
    connection.endheaders()
    answer = connection.getresponse()
    connection.close()
    return f"{answer.status}\n{answer.headers}"


def test_database_address_is_taken_apart() -> None:
    database = environment.database("DATABASE_URL", COMPLETE["DATABASE_URL"])
    assert database == {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": "trees",
        "USER": "user",
        "PASSWORD": "pa@ss",
        "HOST": "database.example.org",
        "PORT": "5433",
        "OPTIONS": {"sslmode": "require"},
    }


@pytest.mark.parametrize("url", ["mysql://host/name", "postgresql://host/", "nonsense"])
def test_unusable_database_address_is_refused(url: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="DATABASE_URL must look like postgresql://"):
        environment.database("DATABASE_URL", url)


@pytest.mark.parametrize("value", ["many", "-1", "1.5"])
def test_number_that_is_none_is_refused(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UPLOAD_MAX_BYTES", value)
    with pytest.raises(ImproperlyConfigured, match=f"UPLOAD_MAX_BYTES must .*{value}"):
        environment.integer("UPLOAD_MAX_BYTES", 1)


def test_trusted_proxies_are_addresses_or_networks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "127.0.0.1, 10.1.0.0/16, ::1")
    assert environment.networks("FORWARDED_ALLOW_IPS", "") == ["127.0.0.1", "10.1.0.0/16", "::1"]
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "proxy.example.org")
    with pytest.raises(ImproperlyConfigured, match="FORWARDED_ALLOW_IPS must contain addresses"):
        environment.networks("FORWARDED_ALLOW_IPS", "")


@pytest.mark.parametrize("module", ["sharedtask.wsgi", "workers.app"])
def test_server_and_worker_have_no_default_profile(module: str) -> None:
    values = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    done = run("-c", f"import {module}", environment=values)
    assert done.returncode != 0
    assert "Set DJANGO_SETTINGS_MODULE" in done.stderr


def test_embedded_secret_is_made_once_and_private(tmp_path: Path) -> None:
    file = tmp_path / "new" / "secret_key"
    first = environment.secret_from_file(file)
    assert len(first) >= 50
    assert environment.secret_from_file(file) == first
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [entry.name for entry in file.parent.iterdir()] == ["secret_key"]


def test_embedded_database_does_not_lock_out_writers(embedded: dict[str, str]) -> None:
    """Two processes that read, think and write in one transaction both succeed: neither sees a lock."""
    script = """
import django, sys, time
django.setup()
from sharedtask.accounts.models import User
from django.db import transaction
for number in range(20):
    with transaction.atomic():
        User.objects.count()
        time.sleep(0.005)
        User.objects.create(username=f"{sys.argv[1]}-{number}")
"""
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", script, name], cwd=ROOT, env=embedded, stderr=subprocess.PIPE, text=True
        )
        for name in ("oak", "elm", "ash")
    ]
    for writer in writers:
        assert writer.communicate(timeout=60)[1] == ""
    file = Path(embedded["DATA_DIR"]) / "db.sqlite3"
    connection = sqlite3.connect(file)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert connection.execute("SELECT count(*) FROM accounts_user").fetchone() == (60,)
    connection.close()
