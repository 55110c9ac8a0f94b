"""Production: behind the real proxy, and web and workers as on two machines."""

from __future__ import annotations

import contextlib
import http.client
import json
import signal
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest
from botocore.exceptions import ClientError

from serve import processes
from tests.machinery import proxy as nginx
from tests.machinery.postgres import Postgres
from tests.machinery.site import ROOT, clean_environment, start_worker
from tests.pipeline import outcome, production
from tests.pipeline.production import MOST_BYTES, ORIGIN, Site, run
from tests.pipeline.s3 import FILES, SEALED

pytestmark = pytest.mark.slow
TEAM = "Team 00"
READ = """
import django, sys
django.setup()
from sharedtask.core import sealing, storage
from sharedtask.competition.models import GoldVersion
from sharedtask.submissions.models import Score
gold, counts = GoldVersion.objects.earliest("pk").sealed, Score.objects.earliest("pk").units
for name in (gold, counts):
    try:
        print(len(sealing.unseal(storage.read(name))) > 0)
    except Exception as error:
        print(type(error).__name__)
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, postgres: Postgres, redis_url: str) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("production")
    database = postgres.create_database("production")
    with production.running(folder, database=database, redis_url=redis_url) as running:
        yield running


def files_below(folder: str) -> list[str]:
    return sorted(str(file) for file in (Path(folder) / "files").rglob("*") if file.is_file())


def test_a_run_goes_through_and_the_web_side_is_refused_gold(site: Site, tmp_path: Path) -> None:
    expected = {}
    for team in site.sessions:
        archive, files = site.plan.archive(team, 0)
        status, location, text = site.upload(team, archive)
        assert status == 302, f"{text} {site.server.log.read_text()}"
        expected[location.strip("/").rsplit("/", 1)[-1]] = site.plan.expected(files)
    worker = start_worker(site.work, tmp_path / "worker.log")
    try:
        end = time.monotonic() + 60
        while (result := outcome.read(site.web)).unfinished or result.requested:
            assert time.monotonic() < end, worker.log.read_text()
            time.sleep(0.3)
    finally:
        worker.stop()
    assert result.results == expected
    assert len(result.table["rows"]) == len(site.sessions)

    assert run(site.work, "-c", READ) == ["True", "True"]
    assert run(site.web, "-c", READ) == ["RefusedByStorage", "RefusedByStorage"]
    listed = {
        bucket: {
            item["Key"].split("/")[0]
            for item in site.store.client(site.store.worker).list_objects_v2(Bucket=bucket)["Contents"]
        }
        for bucket in (FILES, SEALED)
    }
    assert listed == {FILES: {"uploads", "outputs", "inputs"}, SEALED: {"gold", "counts"}}
    assert files_below(site.web["DATA_DIR"]) == []
    assert files_below(site.work["DATA_DIR"]) == []


def test_an_airlock_worker_can_read_inputs_and_images_and_write_outputs_of_software_alone(
    site: Site,
) -> None:
    everything = site.store.client(site.store.worker)
    for name in ("images/1", "outputs/1/en.conllu", "software/1/en.conllu"):
        everything.put_object(Bucket=FILES, Key=name, Body=b"x")
    store = site.store.client(site.store.airlock)
    name = everything.list_objects_v2(Bucket=FILES, Prefix="inputs/")["Contents"][0]["Key"]
    assert store.get_object(Bucket=FILES, Key=name)["Body"].read()
    assert store.get_object(Bucket=FILES, Key="images/1")["Body"].read() == b"x"
    store.put_object(Bucket=FILES, Key="software/2/en.conllu", Body=b"y")
    gold = everything.list_objects_v2(Bucket=SEALED, Prefix="gold/")["Contents"][0]["Key"]
    refused: list[Callable[[], object]] = [
        lambda: store.get_object(Bucket=SEALED, Key=gold),
        lambda: store.get_object(Bucket=FILES, Key="outputs/1/en.conllu"),
        lambda: store.get_object(Bucket=FILES, Key="software/1/en.conllu"),
        lambda: store.put_object(Bucket=FILES, Key="outputs/1/en.conllu", Body=b"y"),
        lambda: store.put_object(Bucket=FILES, Key="images/1", Body=b"y"),
        lambda: store.put_object(Bucket=SEALED, Key="gold/x", Body=b"y"),
        lambda: store.delete_object(Bucket=FILES, Key="software/2/en.conllu"),
        lambda: store.list_objects_v2(Bucket=FILES),
    ]
    for action in refused:
        with pytest.raises(ClientError, match=r"AccessDenied|Forbidden"):
            action()
    for name in ("images/1", "outputs/1/en.conllu", "software/1/en.conllu", "software/2/en.conllu"):
        everything.delete_object(Bucket=FILES, Key=name)


def test_an_upload_that_is_too_large_is_told_so(site: Site) -> None:
    status, _, text = site.upload(TEAM, b"\0" * 2 * MOST_BYTES)
    assert (status, "upload-too-large" in text) == (413, True)
    beyond = site.ask("POST", "/tasks/drill/upload/", Content_Length=str(10**9))
    assert (beyond.status, "Upload too large" in beyond.text) == (413, True)


@pytest.mark.parametrize("path", ["/sign-in/", "/", "/tasks/drill/leaderboard/"])
def test_a_large_body_is_stopped_at_the_proxy_where_nothing_is_uploaded(site: Site, path: str) -> None:
    announced = site.ask("POST", path, Content_Length=str(250 * 2**20))
    assert (announced.status, "It was not read" in announced.text) == (413, True)
    # In chunks it is refused when it has become too long, while it is still being sent.
    connection = site.proxy.connect()
    with contextlib.suppress(ConnectionError, ssl.SSLError):
        connection.request("POST", path, (b"x" * 2**16 for _ in range(4000)), encode_chunked=True)
    connection.close()
    end = time.monotonic() + 60
    while len(read := bytes_refused(site, path)) < 2:
        assert time.monotonic() < end, site.proxy.log.read_text()
        time.sleep(0.2)
    assert max(read) < 4 * 2**20, read


def bytes_refused(site: Site, path: str) -> list[int]:
    """How much of each was read. The proxy writes a line when it is done, which may be after the answer."""
    lines = map(json.loads, site.proxy.log.read_text().splitlines())
    return [line["received_bytes"] for line in lines if (line["address"], line["status"]) == (path, 413)]


def test_a_large_upload_is_answered_by_the_site(site: Site) -> None:
    """Larger than the proxy lets through to other pages."""
    status, _, text = site.upload(TEAM, b"\0" * 3 * 2**20)
    assert (status, "Upload too large" in text, "It was not read" in text) == (413, True, False)


def test_an_upload_that_came_before_the_closing_counts_however_long_it_waits(site: Site) -> None:
    archive, _ = site.plan.archive(TEAM, 1)
    closing = datetime.now(UTC) + timedelta(seconds=1)
    site.close_the_phase(closing)
    answers: list[tuple[int, str, str]] = []
    in_time = threading.Thread(target=lambda: answers.append(site.upload(TEAM, archive)))
    # The site is too busy to look at anything until the phase has closed.
    processes.signal_group(site.server.process, signal.SIGSTOP)
    in_time.start()
    time.sleep(1.5)
    processes.signal_group(site.server.process, signal.SIGCONT)
    in_time.join()
    assert answers[0][0] == 302, answers[0][2]
    long_ago = str(closing.timestamp() - 5)
    status, _, text = site.upload(TEAM, archive, X_Received_At=long_ago)
    assert (status, "phase-closed" in text) == (400, True)
    site.close_the_phase(None)


def test_pages_are_compressed_and_asked_for_by_tls_alone(site: Site) -> None:
    page = site.ask("GET", "/sign-in/", Accept_Encoding="gzip")
    assert (page.status, page.headers["Content-Encoding"]) == (200, "gzip")
    assert page.headers["Strict-Transport-Security"].startswith("max-age=31536000")
    assert "Secure" in page.headers["Set-Cookie"]
    plain = http.client.HTTPConnection("127.0.0.1", site.proxy.plain_port, timeout=10)
    plain.request("GET", "/tasks/", headers={"Host": nginx.NAME})
    assert plain.getresponse().headers["Location"] == f"https://{nginx.NAME}/tasks/"
    plain.close()


def line_with(log: Path, text: str) -> str:
    """The only line of a log with this text. It may be written after the response has been sent."""
    end = time.monotonic() + 60
    while not (lines := [line for line in log.read_text().splitlines() if text in line]):
        assert time.monotonic() < end, f"nothing about {text} in {log}"
        time.sleep(0.05)
    (line,) = lines
    return line


def test_what_a_reader_forges_is_not_believed(site: Site) -> None:
    page = site.ask("GET", "/none", X_Forwarded_Proto="http", X_Forwarded_Ssl="off", X_Request_ID="forged")
    assert page.status == 404
    of_proxy = json.loads(line_with(site.proxy.log, '"address": "/none"'))
    of_site = json.loads(line_with(site.server.log, "Not Found: /none"))
    assert of_site["request"] == of_proxy["request"] != "forged"
    assert site.ask("GET", "/", Host="elsewhere.example").status == 400

    form = f"csrfmiddlewaretoken={'a' * 32}&login=nobody@example.org&password=wrong"
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Cookie": f"csrftoken={'a' * 32}"}
    tried = site.ask("POST", "/sign-in/", form, X_Forwarded_For="192.0.2.7", **headers, **ORIGIN)
    assert tried.status == 200, tried.text
    with psycopg.connect(site.web["DATABASE_URL"]) as database:
        counted = str(database.execute("SELECT cache_key FROM attempts").fetchall())
    assert ":ip:127.0.0.1" in counted
    assert "192.0.2.7" not in counted


def test_what_administrators_watch_is_open_inside_alone(site: Site) -> None:
    bearer = {"Authorization": "Bearer secret"}
    for path, outside in (("/healthz", 200), ("/readyz", 404), ("/metrics", 404), ("/%6detrics", 404)):
        assert site.ask("GET", path, **bearer).status == outside
        # By the machine's own address, as a probe or a scraper does.
        inside = http.client.HTTPConnection(site.server.url.removeprefix("http://"), timeout=10)
        inside.request("GET", path, headers=bearer)
        assert inside.getresponse().status == 200, path
        inside.close()


def test_readers_are_told_that_the_site_is_away(site: Site) -> None:
    """The last, for it ends the server."""
    site.server.stop()
    away = site.ask("GET", "/")
    assert (away.status, away.headers["Retry-After"]) == (503, "10")
    assert "Back in a moment" in away.text


def test_logs_carry_the_run_from_upload_to_score_as_json(tmp_path: Path) -> None:
    """The formatter of the production profile, fed by a step that knows its run."""
    script = """
import django, logging
django.setup()
from sharedtask.core import logs
with logs.about(run="abc", stage="check"):
    logging.getLogger("sharedtask.somewhere").info("checked %s files", 3)
"""
    environment = clean_environment(
        "sharedtask.settings.production",
        {
            "SECRET_KEY": "x" * 60,
            "GOLD_PUBLIC_KEY": "9d1a" * 16,
            "ALLOWED_HOSTS": nginx.NAME,
            "DATABASE_URL": "postgresql://user@localhost/none",
            "REDIS_URL": "redis://localhost:1/0",
            "STORAGE": "disk",
            "DATA_DIR": str(tmp_path),
        },
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    document = json.loads(done.stderr.splitlines()[-1])
    assert (document["run"], document["stage"], document["message"]) == ("abc", "check", "checked 3 files")
