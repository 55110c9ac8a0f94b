"""Real clients over real connections that break: tuspy, tus-js-client, and what is sent twice."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tusclient.client import TusClient

from tests.conftest import MakeSite
from tests.machinery import node, proxy
from tests.machinery.cutting import cutting
from tests.machinery.site import Running, start_server
from tests.sharedtask.support import live_uploads
from tests.sharedtask.support.live_uploads import LiveSite, random_file
from tests.sharedtask.support.tus import OCTETS, RUN, VERSION, metadata

pytestmark = pytest.mark.slow
MEBIBYTE = 1024 * 1024
SIZE = 20 * MEBIBYTE
CUTS = [3 * MEBIBYTE, 6 * MEBIBYTE, 10 * MEBIBYTE, 13 * MEBIBYTE + 17, 19 * MEBIBYTE]
HEADERS = 64 * 1024
"""More than the headers of all requests together."""
SEGMENT = 8 * MEBIBYTE


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, embedded_site: MakeSite, redis_url: str) -> LiveSite:
    folder = tmp_path_factory.mktemp("uploads")
    environment = embedded_site(folder / "data", REDIS_URL=redis_url)
    return live_uploads.prepare(environment, folder / "task")


@pytest.fixture(scope="module")
def served(site: LiveSite, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    running = start_server(site.environment, tmp_path_factory.mktemp("log") / "server.log")
    yield running
    running.stop()


def upload_with_tuspy(url: str, headers: dict[str, str], file: Path, address: str | None = None) -> str:
    """The address of the upload. The client is used as its documentation says."""
    client = TusClient(f"{url}/uploads/", headers=headers)
    with file.open("rb") as stream:
        uploader = client.uploader(file_stream=stream, metadata=RUN, retries=5, retry_delay=0, url=address)
        uploader.upload()
    return str(uploader.url)


def upload_with_javascript(url: str, headers: dict[str, str], file: Path) -> str:
    command = [*node.tus_client(), f"{url}/uploads/", str(file), json.dumps(headers), json.dumps(RUN)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return str(json.loads(done.stdout)["address"])


@pytest.mark.parametrize("send", [upload_with_tuspy, upload_with_javascript], ids=["tuspy", "tus-js-client"])
def test_a_client_resumes_after_five_cuts_and_sends_nothing_twice(
    site: LiveSite, served: Running, tmp_path: Path, send: object
) -> None:
    assert callable(send)
    file = tmp_path / "run.zip"
    sha256 = random_file(file, SIZE, seed=len(send.__name__))
    with cutting(served.url, CUTS) as cut:
        address = send(cut.url, site.headers("alder"), file)
    assert cut.cuts == len(CUTS)
    assert SIZE <= cut.sent_bytes <= SIZE + HEADERS
    run = site.runs()[-1]
    assert (run.sha256, run.team) == (sha256, "Alder")
    assert run.public_id in address


def test_two_people_upload_at_the_same_time_behind_the_proxy(
    site: LiveSite, served: Running, tmp_path: Path
) -> None:
    """Through nginx with the configuration of deploy/, over TLS."""
    with proxy.running(tmp_path / "nginx", urlsplit(served.url).netloc) as nginx:
        os.environ["REQUESTS_CA_BUNDLE"] = str(nginx.certificate)
        hashes = {}
        for seed, name in enumerate(site.sessions):
            hashes[name] = random_file(tmp_path / name, 3 * MEBIBYTE, seed=100 + seed)
        try:
            with ThreadPoolExecutor(2) as pool:
                jobs = [
                    pool.submit(
                        upload_with_tuspy,
                        f"https://localhost:{nginx.port}",
                        site.headers(name),
                        tmp_path / name,
                    )
                    for name in hashes
                ]
                addresses = [job.result() for job in jobs]
        finally:
            del os.environ["REQUESTS_CA_BUNDLE"]
    runs = {run.sha256: run for run in site.runs()}
    for (name, sha256), address in zip(hashes.items(), addresses, strict=True):
        assert runs[sha256].team == name.title()
        assert runs[sha256].public_id in address


def create(host: str, headers: dict[str, str], length: int) -> str:
    known = {"Upload-Length": str(length), "Upload-Metadata": metadata(RUN)}
    with closing(http.client.HTTPConnection(host, timeout=60)) as connection:
        connection.request("POST", "/uploads/", headers=VERSION | headers | known)
        with closing(connection.getresponse()) as response:
            assert response.status == 201, response.read()
            return response.headers["Location"]


def offset_of(host: str, headers: dict[str, str], address: str) -> int:
    with closing(http.client.HTTPConnection(host, timeout=60)) as connection:
        connection.request("HEAD", address, headers=VERSION | headers)
        with closing(connection.getresponse()) as response:
            return int(response.headers["Upload-Offset"])


def status_of(connection: http.client.HTTPConnection) -> int:
    """And close it."""
    with closing(connection), closing(connection.getresponse()) as response:
        return response.status


def begin_patch(host: str, headers: dict[str, str], address: str, length: int) -> http.client.HTTPConnection:
    connection = http.client.HTTPConnection(host, timeout=60)
    connection.putrequest("PATCH", address)
    known = {"Upload-Offset": "0", "Content-Type": OCTETS, "Content-Length": str(length)}
    for name, value in (VERSION | headers | known).items():
        connection.putheader(name, value)
    connection.endheaders()
    return connection


def wait_for_offset(host: str, headers: dict[str, str], address: str, offset: int) -> None:
    end = time.monotonic() + 60
    while offset_of(host, headers, address) < offset:
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_killed_process_leaves_a_consistent_offset(site: LiveSite, tmp_path: Path) -> None:
    """Every process of the server is killed in the middle of a request, after it stored a first segment."""
    file = tmp_path / "run.zip"
    sha256 = random_file(file, SIZE, seed=7)
    content, headers = file.read_bytes(), site.headers("beech")
    first = start_server(site.environment, tmp_path / "first.log", numbers=(1, 4))
    host = urlsplit(first.url).netloc
    address = create(host, headers, SIZE)
    connection = begin_patch(host, headers, address, SIZE)
    connection.send(content[: SEGMENT + 2 * MEBIBYTE])
    wait_for_offset(host, headers, address, SEGMENT)
    os.killpg(first.process.pid, signal.SIGKILL)
    first.process.wait(30)
    connection.close()

    second = start_server(site.environment, tmp_path / "second.log")
    try:
        host = urlsplit(second.url).netloc
        assert offset_of(host, headers, address) == SEGMENT
        with cutting(second.url, []) as counted:
            upload_with_tuspy(counted.url, headers, file, f"{counted.url}{address}")
        assert SIZE - SEGMENT <= counted.sent_bytes <= SIZE - SEGMENT + HEADERS
        assert site.runs()[-1].sha256 == sha256
    finally:
        second.stop()


def test_the_latest_of_two_connections_wins(site: LiveSite, served: Running, tmp_path: Path) -> None:
    """The older one has lost its network without knowing it: its request hangs."""
    file = tmp_path / "run.zip"
    sha256 = random_file(file, SIZE, seed=8)
    content, headers, host = file.read_bytes(), site.headers("beech"), urlsplit(served.url).netloc
    address = create(host, headers, SIZE)
    older = begin_patch(host, headers, address, SIZE)
    older.send(b"?" * MEBIBYTE)
    end = time.monotonic() + 60
    while not site.writer(address):
        assert time.monotonic() < end, "the older request has not begun"
        time.sleep(0.05)
    newer = begin_patch(host, headers, address, SIZE)
    newer.send(content)
    assert status_of(newer) == 204
    older.send(b"?" * (SIZE - MEBIBYTE))
    assert status_of(older) == 409
    assert site.runs()[-1].sha256 == sha256


def test_the_cutting_proxy_cuts_and_counts(served: Running) -> None:
    with cutting(served.url, [10]) as cut:
        connections = [http.client.HTTPConnection(urlsplit(cut.url).netloc, timeout=30) for _ in range(2)]
        connections[0].request("GET", "/healthz")
        with pytest.raises((http.client.HTTPException, OSError)):
            status_of(connections[0])
        assert (cut.cuts, cut.sent_bytes) == (1, 10)
        connections[1].request("GET", "/healthz")
        assert status_of(connections[1]) == 200
    assert cut.cuts == 1
    assert cut.sent_bytes > 50
