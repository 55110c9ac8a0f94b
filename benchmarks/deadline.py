"""The deadline hour: 200 uploads in ten minutes, 300 people who reload the leaderboard, a phase that closes.

Run with `make bench`, for one minute at the same rates; `MINUTES=10` plays all of it. Every upload whose last
byte came before closing must count and every later one be refused with its reason; an upload that was under
way at the closing second is held against the receipt itself. Latencies are told as a ratio to the same server
without uploads and with one reader.
"""

from __future__ import annotations

import os
import random
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import psycopg

from benchmarks._real_site import DATA, TEAMS, RealSite, real_site
from tests.machinery.site import start_worker
from tests.pipeline.people import upload

UPLOADS, READERS, PAUSE_SECONDS = 200, 300, 30.0
MINUTES = float(os.environ.get("MINUTES", "1"))
SETS = 16
REFUSALS = ("has closed", "does not take uploads")


@dataclass(frozen=True, kw_only=True)
class Answer:
    began: datetime
    ended: datetime
    status: int
    text: str

    @property
    def is_refused_with_its_reason(self) -> bool:
        return self.status == 400 and any(words in self.text for words in REFUSALS)


@dataclass
class Hour:
    site: RealSite
    seconds: float
    answers: list[Answer] = field(default_factory=list)
    latencies: list[float] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        # Packed beforehand: the teams' computers are not the server.
        self.archives = [self.site.archive(team, sets=SETS) for team in range(TEAMS)]
        self.end = time.monotonic() + self.seconds
        self.page = f"{self.site.web.url}/tasks/drill/leaderboard/"

    def read(self, seed: int) -> None:
        """A reader who reloads every half a minute or so."""
        pause = random.Random(seed)
        time.sleep(pause.random() * PAUSE_SECONDS)
        while time.monotonic() < self.end:
            try:
                self.latencies.append(fetched(self.page))
            except OSError as error:
                self.faults.append(str(error))
            time.sleep(PAUSE_SECONDS * (0.5 + pause.random()))

    def send(self, number: int, delay: float) -> None:
        time.sleep(delay)
        session = self.site.sessions[number % len(self.site.sessions)]
        archive = self.archives[number % TEAMS]
        began = datetime.now(UTC)
        status, _, text = upload(self.site.web.url, session, archive, timeout=120)
        self.answers.append(Answer(began=began, ended=datetime.now(UTC), status=status, text=text))


def main() -> None:
    if not DATA.is_dir():
        print("NOT MEASURED: ../shared/data is not beside this checkout.")
        return
    with real_site() as site:
        idle = sorted(fetched(f"{site.web.url}/tasks/drill/leaderboard/") for _ in range(100))
        hour = Hour(site=site, seconds=60 * MINUTES)
        closes_at = datetime.now(UTC) + timedelta(seconds=60 * MINUTES * 0.8)
        with psycopg.connect(site.environment["DATABASE_URL"], autocommit=True) as database:
            database.execute("UPDATE competition_phase SET closes_at = %s", [closes_at])
        with working(site):
            play(hour)
        tell(hour, closes_at, idle)


@contextmanager
def working(site: RealSite) -> Iterator[None]:
    worker = start_worker(site.environment, site.folder / "worker-hour.log", "--concurrency=1")
    try:
        yield
    finally:
        worker.stop()


def play(hour: Hour) -> None:
    chance = random.Random(2017)
    senders = [
        threading.Thread(target=hour.send, args=(number, chance.random() * hour.seconds), daemon=True)
        for number in range(round(UPLOADS * MINUTES / 10))
    ]
    readers = [threading.Thread(target=hour.read, args=(seed,), daemon=True) for seed in range(READERS)]
    for thread in senders + readers:
        thread.start()
    for thread in senders:
        thread.join()
    time.sleep(max(0.0, hour.end - time.monotonic()))


def tell(hour: Hour, closes_at: datetime, idle: list[float]) -> None:
    early = [answer for answer in hour.answers if answer.ended < closes_at]
    late = [answer for answer in hour.answers if answer.began >= closes_at]
    between = [answer for answer in hour.answers if answer not in early and answer not in late]
    assert [answer.text for answer in early if answer.status != 302] == []
    assert [answer.text for answer in late if not answer.is_refused_with_its_reason] == []
    ((runs, last),) = hour.site.query("SELECT count(*), max(received_at) FROM submissions_run")
    receipts = sum(answer.status == 302 for answer in hour.answers)
    assert runs == TEAMS + receipts, "a receipt without its run, or a run without its receipt"
    assert isinstance(last, datetime)
    assert last < closes_at
    busy = sorted(hour.latencies)
    slow, calm = at(0.95, busy), at(0.95, idle)
    print(
        f"Deadline hour, {MINUTES:g} of 10 minutes: {len(early)} uploads of {SETS} files before closing "
        f"received, {len(late)} later ones refused with the reason, {len(between)} under way at the closing "
        f"second ({sum(answer.status == 302 for answer in between)} of them in time);\n  {len(busy)} "
        f"leaderboards read by {READERS} people, {len(hour.faults)} failed; median "
        f"{1000 * at(0.5, busy):.0f} ms, 95th percentile {1000 * slow:.0f} ms, {slow / calm:.1f} times that "
        f"of an idle server ({1000 * calm:.0f} ms)"
    )


def at(share: float, ordered: list[float]) -> float:
    return ordered[int(share * len(ordered))]


def fetched(page: str) -> float:
    began = time.perf_counter()
    with urllib.request.urlopen(page, timeout=60) as answer:
        answer.read()
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
