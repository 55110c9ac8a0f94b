"""Everything that deploy/ refers to exists, and its example has every variable that production needs."""

import ast
import importlib.util
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml
from django.conf import settings
from django.urls import URLResolver, get_resolver
from redis import Redis
from redis.exceptions import AuthenticationError, NoPermissionError

from serve import processes, redis
from sharedtask.core.body_limit import streams_body, takes_uploads
from tests.machinery.ports import free_port
from tests.machinery.site import ROOT

DEPLOY = ROOT / "deploy"
# Read by Django itself, by Python, by numpy, by compose, or by the images of database, broker and storage.
READ_ELSEWHERE = {
    "OPENBLAS_NUM_THREADS",
    "DJANGO_SETTINGS_MODULE",
    "PYTHONUNBUFFERED",
    "PYTHONDONTWRITEBYTECODE",
    "WORKER_PROCESSES",
    "AIRLOCK_DATABASE_URL",
    "AIRLOCK_REDIS_PASSWORD",
    "AIRLOCK_REDIS_URL",
    "POSTGRES_USER",
    "POSTGRES_PASSWORD",
    "POSTGRES_DB",
    "MINIO_ROOT_USER",
    "MINIO_ROOT_PASSWORD",
    "REDIS_PASSWORD",
    "REDISCLI_AUTH",
}


def calls(file: Path, owner: str) -> Iterator[tuple[str, str]]:
    """Function and first argument of every ``owner.function("NAME", ...)`` in a file."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and ast.unparse(node.func.value) == owner
            and node.args
            and isinstance(node.args[0], ast.Constant)
        ):
            yield node.func.attr, str(node.args[0].value)


def variables_read() -> set[str]:
    settings = (ROOT / "sharedtask" / "settings").glob("*.py")
    names = {name for file in settings for _, name in calls(file, "environment")}
    names |= {name for _, name in calls(DEPLOY / "gunicorn.conf.py", "os.environ")}
    for script in DEPLOY.glob("*.sh"):
        names |= set(re.findall(r"\$\{?([A-Z][A-Z0-9_]+)", script.read_text(encoding="utf-8")))
    return names | READ_ELSEWHERE


def example() -> dict[str, str]:
    lines = (DEPLOY / "environment.example").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    return loaded


def test_variables_are_found_at_all() -> None:
    assert {"SECRET_KEY", "DATA_DIR", "WEB_BIND", "UPLOAD_MAX_BYTES", "LOG_LEVEL"} <= variables_read()


def test_every_variable_of_the_example_is_read() -> None:
    assert set(example()) - variables_read() == set()


def test_every_variable_that_production_requires_is_in_the_example() -> None:
    production = ROOT / "sharedtask" / "settings" / "production.py"
    required = {name for function, name in calls(production, "environment") if function == "required"}
    assert len(required) == 9
    assert required - set(example()) == set()


def test_defaults_in_the_example_are_the_defaults_of_the_settings() -> None:
    limits = settings.UPLOAD_LIMITS
    result = example()
    assert {
        "UPLOAD_MAX_BYTES": limits["archive_bytes"],
        "ARCHIVE_MAX_MEMBERS": limits["members"],
        "ARCHIVE_MAX_MEMBER_BYTES": limits["member_bytes"],
        "ARCHIVE_MAX_TOTAL_BYTES": limits["total_bytes"],
        "ARCHIVE_MAX_RATIO": limits["ratio"],
        "UPLOADS_PER_DAY": limits["uploads_per_day"],
        "TASK_SOFT_TIME_LIMIT_SECONDS": settings.CELERY_TASK_SOFT_TIME_LIMIT,
    } == {name: int(result[name]) for name in result if re.match("UPLOAD|ARCHIVE|TASK", name)}


def test_compose_runs_the_services_that_the_readme_lists(compose: dict[str, Any]) -> None:
    page = (DEPLOY / "README.md").read_text()
    assert set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)) == set(compose["services"])
    assert {"web", "worker", "beat", "redis", "postgres", "nginx"} <= set(compose["services"])


def test_compose_sets_only_variables_that_are_read(compose: dict[str, Any]) -> None:
    named = {name for service in compose["services"].values() for name in service.get("environment", {})}
    named |= set(re.findall(r"\$\{(\w+)", (DEPLOY / "compose.yaml").read_text()))
    assert named
    assert named - variables_read() == set()


def test_compose_and_image_name_files_and_modules_that_exist(compose: dict[str, Any]) -> None:
    dockerfile = (DEPLOY / "Dockerfile").read_text()
    for sources in re.findall(r"^COPY (.+) \S+$", dockerfile, re.MULTILINE):
        for source in sources.split():
            assert (ROOT / source).exists(), source
    for service in compose["services"].values():
        command = service.get("command", [])
        if "-A" in command:
            assert importlib.util.find_spec(command[command.index("-A") + 1])
        build = service.get("build")
        if build:
            assert (DEPLOY / build["context"] / build["dockerfile"]).is_file()
    start = re.search(r"^CMD (.+)$", dockerfile, re.MULTILINE)
    assert start is not None
    *_, configuration, application = ast.literal_eval(start[1])
    assert (ROOT / configuration).is_file()
    assert importlib.util.find_spec(application)
    profile = re.search(r"DJANGO_SETTINGS_MODULE=(\S+)", dockerfile)
    assert profile is not None
    assert importlib.util.find_spec(profile[1])


def test_image_gets_everything_it_copies_and_sets_only_what_is_read() -> None:
    dockerfile = (DEPLOY / "Dockerfile").read_text()
    allowed = re.findall(r"^!(.+)$", (DEPLOY / "Dockerfile.dockerignore").read_text(), re.MULTILINE)
    copied = {
        name for line in re.findall(r"^COPY (.+) \S+$", dockerfile, re.MULTILINE) for name in line.split()
    }
    assert copied == set(allowed)
    named = set(re.findall(r"\b([A-Z][A-Z_]+)=", dockerfile))
    assert named - variables_read() == set()


def test_image_has_every_package_that_the_site_imports() -> None:
    dockerfile = (DEPLOY / "Dockerfile").read_text()
    for package in ("airlock", "evaluation", "sharedtask", "workers", "demo"):
        assert f"COPY {package} ./{package}" in dockerfile


def upload_location() -> re.Match[str]:
    """Its pattern and what stands in it."""
    match = re.search(
        r"location ~ (\^\S+upload\S+\$) \{\n(.*?)\n    \}", (DEPLOY / "nginx.conf").read_text(), re.DOTALL
    )
    assert match is not None
    return match


def body_limits() -> tuple[int, int]:
    """Of pages in general and of uploads, in bytes."""
    proxy = (DEPLOY / "nginx.conf").read_text()
    sizes = [re.search(r"client_max_body_size (\d+)m;", text) for text in (proxy, upload_location()[2])]
    pages, uploads = (int(size[1]) * 2**20 for size in sizes if size)
    return pages, uploads


def test_proxy_lets_large_bodies_through_to_upload_views_alone() -> None:
    pattern = re.compile(upload_location()[1])
    for route, view in routes(get_resolver()):
        address = "/" + re.sub("<[^>]+>", "x1", route)
        assert bool(pattern.search(address)) == takes_uploads(view), address


def test_proxy_passes_resumable_uploads_on_as_they_arrive(compose: dict[str, Any]) -> None:
    proxy = (DEPLOY / "nginx.conf").read_text()
    location = re.search(r"location (/\S+) \{\n([^}]*proxy_request_buffering off[^}]*)\}", proxy)
    assert location is not None
    assert "client_max_body_size 0;" in location[2]
    upstream = re.search(r"set \$uploads (\w+):(\d+);", proxy)
    assert upstream is not None and "proxy_pass http://$uploads;" in location[2]
    service = compose["services"][upstream[1]]
    assert service["environment"]["WEB_BIND"].rpartition(":")[2] == upstream[2]
    assert int(service["environment"]["WEB_THREADS"]) > int(example()["WEB_THREADS"])
    for route, view in routes(get_resolver()):
        assert f"/{route}".startswith(location[1]) == streams_body(view), route


def routes(resolver: URLResolver, above: str = "") -> Iterator[tuple[str, Callable[..., Any]]]:
    for entry in resolver.url_patterns:
        route = above + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from routes(entry, route)
        else:
            yield route, entry.callback


def test_proxy_leads_to_the_web_service_and_lets_uploads_through(compose: dict[str, Any]) -> None:
    proxy = (DEPLOY / "nginx.conf").read_text()
    upstream = re.search(r"set \$web (\w+):(\d+);", proxy)
    assert upstream is not None
    web = compose["services"][upstream[1]]
    assert web["environment"]["WEB_BIND"].rpartition(":")[2] == upstream[2]
    pages, uploads = body_limits()
    assert settings.DATA_UPLOAD_MAX_MEMORY_SIZE < pages < 10 * 2**20
    assert int(example()["UPLOAD_MAX_BYTES"]) < uploads
    assert "proxy_set_header X-Forwarded-Proto $scheme;" in proxy
    assert f"proxy_set_header {web['environment']['ARRIVAL_HEADER']} $msec;" in proxy


def test_readme_names_only_variables_that_are_read() -> None:
    page = (DEPLOY / "README.md").read_text()
    named = set(re.findall(r"`([A-Z][A-Z_]{3,})(?:=[^`]*)?`", page))
    assert "STATIC_ROOT" in named
    assert named - variables_read() == set()


def test_only_the_proxy_is_reachable_from_outside(compose: dict[str, Any]) -> None:
    assert [name for name, service in compose["services"].items() if "ports" in service] == ["nginx"]


OF_OTHERS = ("WORKER_S3_", "AIRLOCK_S3_", "AIRLOCK_DATABASE_", "AIRLOCK_REDIS_", "MINIO_", "POSTGRES_") + (
    "REDIS_PASSWORD",
)


def test_the_site_is_not_given_what_is_for_others(compose: dict[str, Any]) -> None:
    others = {name for name in example() if name.startswith(OF_OTHERS)}
    assert others
    for name, service in compose["services"].items():
        if "env_file" in service:
            assert {service["environment"].get(secret) for secret in others} == {""}, name


EXACT = re.compile(
    r"[\w./-]+:(?:\d+\.\d+\.\d+|RELEASE\.[\dTZ-]+)(?:-\w+)*|[\w./-]+(?::[\w.-]+)?@sha256:[0-9a-f]{64}"
)
# PostgreSQL has no third number.
POSTGRES = re.compile(r"postgres:\d+\.\d+(?:-\w+)*")


def test_images_are_pinned_by_exact_version_or_digest(compose: dict[str, Any]) -> None:
    named = [service["image"] for service in compose["services"].values() if "build" not in service]
    named += re.findall(r"^FROM (\S+)", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE)
    assert len(named) == 6
    assert [image for image in named if not (EXACT.fullmatch(image) or POSTGRES.fullmatch(image))] == []


def redis_configuration(compose: dict[str, Any], **values: str) -> str:
    """As compose fills it in, with these values of variables."""
    filled: str = compose["configs"]["redis"]["content"]
    while match := re.search(r"\$\{([A-Z_]+)(?::\?[^}]+|:-((?:\$\{\w+\})?))?\}", filled):
        filled = filled.replace(match[0], values.get(match[1]) or match[2])
    assert "$" not in filled
    return filled


@contextmanager
def redis_of_compose(compose: dict[str, Any], folder: Path, **values: str) -> Iterator[int]:
    """Its port."""
    port, file = free_port(), folder / "redis.conf"
    file.write_text(redis_configuration(compose, **values) + f'port {port}\nbind 127.0.0.1\ndir "{folder}"\n')
    with (folder / "log").open("w") as log:
        process = processes.start([redis.find_binary(), str(file)], output=log)
    try:
        redis.wait_until_ready(f"redis://:{values['REDIS_PASSWORD']}@127.0.0.1:{port}/0")
        yield port
    finally:
        processes.stop([process], grace_seconds=10)


def test_redis_in_compose_starts_with_a_password_alone(compose: dict[str, Any], tmp_path: Path) -> None:
    service = compose["services"]["redis"]
    (mounted,) = service["configs"]
    assert (mounted["source"], mounted["target"]) == ("redis", service["command"][-1])
    assert service["command"] == ["redis-server", "/etc/redis.conf"], "in no command line"
    assert service["environment"] == {"REDISCLI_AUTH": "${REDIS_PASSWORD:?set it in deploy/environment}"}
    assert service["healthcheck"]["test"] == ["CMD-SHELL", "redis-cli ping | grep -q PONG"]

    password = "0123456789abcdef"
    with redis_of_compose(compose, tmp_path, REDIS_PASSWORD=password) as port:
        address = (
            example()["REDIS_URL"].replace("PASSWORD", password).replace("redis:6379", f"127.0.0.1:{port}")
        )
        with Redis(port=port) as stranger, pytest.raises(AuthenticationError):
            stranger.ping()
        with Redis.from_url(address) as site:
            assert site.config_get("appendonly") == {"appendonly": "yes"}
        for guess in ("", "airlock"):
            with (
                Redis(port=port, username="airlock", password=guess) as stranger,
                pytest.raises(AuthenticationError),
            ):
                stranger.ping()


FORBIDDEN_TO_THE_AIRLOCK = (
    ("LRANGE", "score", 0, -1),
    ("LPUSH", "score", "message"),
    ("HGETALL", "unacked"),
    ("SADD", "_kombu.binding.work", "airlock"),
    ("SMEMBERS", "_kombu.binding.work"),
    ("RENAME", "score", "airlock"),
    ("SORT", "airlock", "BY", "nosort", "GET", "secret*"),
    ("GET", ":1:limits"),
    ("KEYS", "*"),
    ("SCAN", 0),
    ("PUBLISH", "celery.pidbox", "shutdown"),
    ("SUBSCRIBE", "celery.pidbox"),
    ("EVAL", "return redis.call('GET', 'secret')", 0),
    ("CONFIG", "GET", "requirepass"),
    ("ACL", "LIST"),
    ("FLUSHALL",),
    ("SCRIPT", "FLUSH"),
    ("MONITOR",),
)


def test_the_broker_account_of_the_airlock_can_use_its_own_queue_alone(
    compose: dict[str, Any], tmp_path: Path
) -> None:
    passwords = {"REDIS_PASSWORD": "0123", "AIRLOCK_REDIS_PASSWORD": "4567"}
    with (
        redis_of_compose(compose, tmp_path, **passwords) as port,
        Redis(port=port, username="airlock", password="4567") as airlock,
    ):
        airlock.lpush("airlock", "message")
        assert airlock.brpop(["airlock"]) == (b"airlock", b"message")
        for command in FORBIDDEN_TO_THE_AIRLOCK:
            with pytest.raises(NoPermissionError):
                print(command, airlock.execute_command(*command))


def test_the_example_has_passwords_where_the_services_ask_for_them() -> None:
    result = example()
    assert urlsplit(result["REDIS_URL"]).password == "PASSWORD"
    assert urlsplit(result["DATABASE_URL"]).password == "PASSWORD"
    assert result["REDIS_PASSWORD"] == result["POSTGRES_PASSWORD"] == "", "to be filled in"
