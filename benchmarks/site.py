"""Speed of the leaderboard and related pages, with CoNLL 2017: 33 teams, 16 test sets, published.

Run with `make bench`. Pages per second are given as a ratio to a view that does nothing, on the same gunicorn
with one worker, in turns within one run; then the time to the first byte, the weight of the page, and what a
reader waits for after something has changed.
"""

from __future__ import annotations

import gzip
import re
import shutil
import socket
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from urllib.parse import urljoin, urlsplit

import psycopg

from benchmarks._real_site import DATA, processor_seconds, servers
from tests.machinery.site import Running, manage, start_server

PAGE = "/tasks/conll17/leaderboard/"
API = "/api/v1/tasks/conll17/standings"
CONNECTIONS, SECONDS, ROUNDS = 4, 2.0, 7
WRITE = "UPDATE teams_team SET pseudonym = pseudonym"


def main() -> None:
    if not DATA.is_dir():
        print("NOT MEASURED: ../shared/data is not next to this checkout.")
        return
    with real_results() as (web, database):
        print(f"First time in a process: {once(web.url + PAGE):.0f} ms.")
        compare_rates(web)
        first_bytes(web.url, database)
        other_pages(web.url)
        weigh(web.url)


@contextmanager
def real_results() -> Iterator[tuple[Running, str]]:
    folder = Path(tempfile.mkdtemp(prefix="arboretum-", dir="/tmp"))
    try:
        with servers(folder) as environment:
            key = str(folder / "site" / "keys" / "gold.private")
            manage("load_conll17", str(DATA), environment=environment | {"GOLD_PRIVATE_KEY_FILE": key})
            web = start_server(
                environment,
                folder / "web.log",
                application="benchmarks._with_trivial",
                numbers=(1, CONNECTIONS),
            )
            try:
                yield web, environment["DATABASE_URL"]
            finally:
                web.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@dataclass(frozen=True, kw_only=True)
class Rate:
    a_second: float
    milliseconds: float
    """Processor time of gunicorn per response."""


def compare_rates(web: Running) -> None:
    """Measured in turns, so that other load affects all of them equally."""
    etag = urllib.request.urlopen(web.url + PAGE).headers["ETag"]
    requests = {
        "nothing": ("/trivial/", ""),
        "page": (PAGE, ""),
        "not modified": (PAGE, f"If-None-Match: {etag}\r\n"),
        "the same through the API": (API, ""),
    }
    measured: dict[str, list[Rate]] = {name: [] for name in requests}
    for _ in range(ROUNDS):
        for name, (path, header) in requests.items():
            measured[name].append(rate(web, path, header))
    print(f"Responses, one worker, {CONNECTIONS} connections; medians of {ROUNDS} turns:")
    base = measured["nothing"]
    for name, rates in measured.items():
        a_second = median(rate.a_second for rate in rates)
        milliseconds = median(rate.milliseconds for rate in rates)
        ratio = a_second / median(rate.a_second for rate in base)
        by_processor = median(rate.milliseconds for rate in base) / milliseconds
        print(
            f"  {name}: {a_second:.0f} a second, {ratio:.2f} of a view that does nothing; "
            f"{milliseconds:.2f} ms of the processor, {by_processor:.2f}"
        )


def rate(web: Running, path: str, header: str) -> Rate:
    """Over several persistent connections."""
    where = urlsplit(web.url)
    request = f"GET {path} HTTP/1.1\r\nHost: {where.netloc}\r\nAccept-Encoding: gzip\r\n{header}\r\n".encode()
    end = time.monotonic() + SECONDS

    def read() -> int:
        with socket.create_connection((where.hostname or "", where.port or 80)) as connection:
            number = 0
            while time.monotonic() < end:
                connection.sendall(request)
                receive(connection)
                number += 1
            return number

    began, processor = time.monotonic(), processor_seconds(web.process.pid)
    with ThreadPoolExecutor(CONNECTIONS) as pool:
        answers = sum(pool.map(lambda _: read(), range(CONNECTIONS)))
    processor = processor_seconds(web.process.pid) - processor
    return Rate(a_second=answers / (time.monotonic() - began), milliseconds=1000 * processor / answers)


def receive(connection: socket.socket) -> None:
    """One complete response; anything but a page or 304 is an error of the benchmark."""
    received = connection.recv(1 << 16)
    while b"\r\n\r\n" not in received:
        received += connection.recv(1 << 16)
    head, _, body = received.partition(b"\r\n\r\n")
    if not head.startswith((b"HTTP/1.1 200", b"HTTP/1.1 304")):
        raise AssertionError(head.decode())
    length = re.search(rb"(?i)content-length: (\d+)", head)
    left = (int(length[1]) if length else 0) - len(body)
    while left > 0:
        left -= len(connection.recv(1 << 16))


def once(url: str) -> float:
    """Milliseconds to the first byte of the response."""
    began = time.perf_counter()
    urllib.request.urlopen(url).close()
    return 1000 * (time.perf_counter() - began)


def first_bytes(url: str, database: str) -> None:
    def report(what: str, before: Callable[[], object], query: Callable[[], str] = str) -> None:
        times = []
        for _ in range(60):
            before()
            times.append(once(url + PAGE + query()))
        times.sort()
        print(f"  {what}: {times[30]:.1f} ms, 95% within {times[56]:.1f} ms")

    print("Time to the first byte, a new connection each time; the median:")
    report("nothing has changed", lambda: None)
    with psycopg.connect(database, autocommit=True) as other:
        report("after each write to the database", lambda: other.execute(WRITE))
    words = iter(range(100))
    report("a URL that was not requested before", lambda: None, lambda: f"?sort=-CLAS&with={next(words)}")


def other_pages(url: str) -> None:
    print("Other result pages, milliseconds to the first byte: first request, and median from the cache:")
    board = urllib.request.urlopen(url + PAGE).read().decode()
    system = re.findall(r'href="(/tasks/conll17/systems/[^"]+)"', board)[0]
    both = "&".join(f"with={run}" for run in re.findall(r'name="with" value="(\w+)"', board)[:2])
    task = "/tasks/conll17/"
    below = ("matrix/", "sets/", "sets/he/", f"compare/?{both}", "sets/he/sentences/", "sets/he/sentences/3/")
    for address in (system, *(task + page for page in below)):
        first, *later = (once(url + address) for _ in range(31))
        print(f"  {address}: {first:.0f}, {median(later):.1f}")


def weigh(url: str) -> None:
    """Including its resources, compressed as a proxy would send them."""
    page = urllib.request.urlopen(url + PAGE).read()
    others = re.findall(rb'<(?:link rel="stylesheet" href|script src)="([^"]+)"', page)
    files = [urllib.request.urlopen(urljoin(url, name.decode())).read() for name in others]
    weight = len(gzip.compress(page)), sum(len(gzip.compress(file)) for file in files)
    print(
        f"Weight: page {weight[0] / 1000:.1f} kB, styles and scripts {weight[1] / 1000:.1f} kB, compressed."
    )


if __name__ == "__main__":
    main()
