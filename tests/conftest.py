"""Fixtures that several parts of the suite share. Everything here is started when first asked for.

- ``gold_keys``: the pair of keys that gold files are sealed with in this process
- ``redis_url``, ``postgres``: real servers, one of each for the session; ``db`` tests run on that PostgreSQL
- ``server``, ``worker``: factories of the site's processes, with the environment they are given
- ``embedded``, ``on_postgres``: an environment of either kind, migrated and empty, for those factories;
  ``embedded_site`` makes more of the first kind
- ``chromium``, ``browser``, ``page``: a real browser
- ``docker_engine``, ``podman_engine``: real container engines
- ``shared_data``: real outputs of past tasks, which lie beside the checkout and not in it
- ``screenshots``: where pictures are left for people to look at
"""

import itertools
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import hypothesis
import pytest
from django.conf import settings
from django.db import connections
from playwright.sync_api import Browser, Page, expect, sync_playwright

from airlock.engine import Engine, connect
from serve import processes, redis
from sharedtask.core import keys
from tests.machinery import chromium as chromium_program
from tests.machinery import engines
from tests.machinery import postgres as postgres_program
from tests.machinery.site import (
    ROOT,
    Running,
    clean_environment,
    make_keys,
    manage,
    start_server,
    start_worker,
)

# A busy machine draws examples slowly; that is no property of the code under test.
hypothesis.settings.register_profile(
    "arboretum", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("arboretum")

StartProcess = Callable[..., Running]
MakeSite = Callable[..., dict[str, str]]


@pytest.fixture(scope="session")
def short_folder() -> Iterator[Path]:
    """A folder with a path short enough for Unix sockets, which pytest's own folders are not."""
    folder = Path(tempfile.mkdtemp(prefix="arboretum-", dir="/tmp"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session", autouse=True)
def gold_keys(short_folder: Path) -> keys.KeyFiles:
    """Tests play web and workers in one process: all have the public key, what plays a worker the private."""
    result = keys.make(short_folder / "keys")
    settings.GOLD_PUBLIC_KEY = result.public.read_text().strip()
    return result


@pytest.fixture(scope="session")
def redis_url(short_folder: Path) -> Iterator[str]:
    server = redis.configure(short_folder / "redis")
    with (short_folder / "redis.log").open("w") as log:
        process = processes.start(server.command, output=log)
    try:
        redis.wait_until_ready(server.url)
        yield server.url
    finally:
        processes.stop([process], grace_seconds=10)


@pytest.fixture(scope="session")
def postgres(short_folder: Path) -> Iterator[postgres_program.Postgres]:
    yield from postgres_program.run_postgres(short_folder)


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    """The server ends with the session, and its databases with it: nothing has to be dropped before."""
    return True


@pytest.fixture(scope="session")
def django_db_modify_db_settings(postgres: postgres_program.Postgres) -> None:
    """Point Django at the server that was started for this session, before pytest-django connects."""
    for target in (settings.DATABASES["default"], connections["default"].settings_dict):
        target["HOST"] = str(postgres.socket_folder)


@pytest.fixture(scope="session")
def embedded_site(short_folder: Path) -> MakeSite:
    """``embedded_site(folder, **variables)`` makes an empty site; the first is migrated, others copy it."""
    migrated = short_folder / "migrated.sqlite3"

    def make(folder: Path, **variables: str) -> dict[str, str]:
        folder.mkdir(parents=True, exist_ok=True)
        environment = clean_environment(
            "sharedtask.settings.embedded", {"DATA_DIR": str(folder), **variables}
        )
        make_keys(environment)
        if migrated.exists():
            shutil.copy(migrated, folder / "db.sqlite3")
        else:
            manage("migrate", "--verbosity=0", environment=environment)
            shutil.copy(folder / "db.sqlite3", migrated)
        return environment

    return make


@pytest.fixture
def embedded(tmp_path: Path, redis_url: str, embedded_site: MakeSite) -> dict[str, str]:
    """The environment of an embedded site: SQLite, migrated, with no rows."""
    return embedded_site(tmp_path / "data", REDIS_URL=redis_url)


@pytest.fixture(scope="session")
def migrated_postgres(postgres: postgres_program.Postgres, short_folder: Path) -> str:
    """The name of a database that is migrated and empty, for others to be copies of."""
    values = {
        "DATA_DIR": str(short_folder / "template"),
        "DATABASE_URL": postgres.create_database("template"),
    }
    manage("migrate", "--verbosity=0", environment=clean_environment("sharedtask.settings.test", values))
    return "template"


_numbers = itertools.count(1)


@pytest.fixture
def on_postgres(
    tmp_path: Path, redis_url: str, postgres: postgres_program.Postgres, migrated_postgres: str
) -> dict[str, str]:
    """The environment of a site on a PostgreSQL database of its own, migrated, with no rows."""
    environment = clean_environment(
        "sharedtask.settings.test",
        {
            "DATA_DIR": str(tmp_path / "data"),
            "REDIS_URL": redis_url,
            "DATABASE_URL": postgres.create_database(f"site_{next(_numbers)}", like=migrated_postgres),
        },
    )
    make_keys(environment)
    return environment


@pytest.fixture
def server(tmp_path: Path) -> Iterator[StartProcess]:
    """``server(environment)`` starts gunicorn and gives its ``url``."""
    started: list[Running] = []

    def start(environment: Mapping[str, str]) -> Running:
        started.append(start_server(environment, tmp_path / f"server-{len(started) + 1}.log"))
        return started[-1]

    yield start
    for running in started:
        running.stop()


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[StartProcess]:
    """``worker(environment, *arguments)`` starts a Celery worker."""
    started: list[Running] = []

    def start(environment: Mapping[str, str], *arguments: str) -> Running:
        started.append(start_worker(environment, tmp_path / f"worker-{len(started) + 1}.log", *arguments))
        return started[-1]

    yield start
    for running in started:
        running.stop()


@pytest.fixture(scope="session")
def chromium() -> Path:
    return chromium_program.find_or_install()


@pytest.fixture(scope="session")
def browser(chromium: Path) -> Iterator[Browser]:
    # Playwright keeps an event loop in this thread, which Django would take for asynchronous code.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    # Five seconds, which is usual, are short where three processes share two processors.
    expect.set_options(timeout=60_000)
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=list(chromium_program.ARGUMENTS))
        yield launched
        launched.close()
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A window of its own: no cookies of another test."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(60_000)
    yield context.new_page()
    context.close()


@pytest.fixture(scope="session")
def docker_engine(short_folder: Path) -> Iterator[Engine]:
    if address := os.environ.get("TEST_DOCKER_HOST"):
        yield connect(address)
        return
    with engines.dockerd(short_folder / "docker") as daemon:
        yield daemon.start()


@pytest.fixture(scope="session")
def podman_engine(short_folder: Path) -> Iterator[Engine]:
    if address := os.environ.get("TEST_PODMAN_HOST"):
        yield connect(address)
        return
    with engines.podman(short_folder / "podman") as daemon:
        yield daemon.start()


@pytest.fixture(scope="session")
def screenshots() -> Path:
    folder = ROOT / "var" / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def shared_data() -> Path:
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("NOT TESTED against real outputs: ../shared/data is not beside this checkout.")
    return folder


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files that start servers, browsers or drills come first: they wait as much as they work, and a process
    that is left with one of them at the end holds up all the others."""
    starting = {"server", "worker", "page", "embedded", "on_postgres", "conll17", "docker_engine", "engine"}
    long = {
        item.path
        for item in items
        if starting.intersection(getattr(item, "fixturenames", ()))
        or item.get_closest_marker("slow")
        or item.get_closest_marker("browser")
        or item.path.parent.name == "pipeline"
    }
    items.sort(key=lambda item: item.path not in long)


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name archives by their argument: their bytes hold the time, and processes must agree on names."""
    return argname if isinstance(val, bytes) else None
