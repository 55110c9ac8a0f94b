"""Simulate a deadline: 200 uploads in ten minutes, 300 people who reload the leaderboard, a closing phase.

Run with `make bench`, for one minute at the same rates; `MINUTES=10` runs all of it. Every upload whose last
byte arrived before the closing must count and every later one must be refused with the reason, including
uploads whose last byte arrives within a second of the closing. Latencies are given as a ratio to the same
server without uploads and with one reader.
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
RUSH, RUSH_SECONDS = 10, 3.0
"""Additional uploads in progress when the phase closes."""
NEAR, FAR = 0.1, 1.0
"""Minimum seconds between their last byte and the closing; clocks may differ by less."""
REFUSALS = ("has closed", "is not open for uploads", "is not accepting uploads")


@dataclass(frozen=True, kw_only=True)
class Answer:
    status: int
    text: str
    not_before: datetime
    """The last byte did not arrive before this time."""
    not_after: datetime

    @property
    def is_refused_with_its_reason(self) -> bool:
        return self.status == 400 and any(words in self.text for words in REFUSALS)


@dataclass
class Hour:
    site: RealSite
    seconds: float
    closes_at: datetime
    answers: list[Answer] = field(default_factory=list)
    rushed: list[Answer] = field(default_factory=list)
    latencies: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        # Compressed in advance, because teams do this on their own computers.
        self.archives = [self.site.archive(team, sets=SETS) for team in range(TEAMS)]
        self.end = time.monotonic() + self.seconds
        self.page = f"{self.site.web.url}/tasks/drill/leaderboard/"

    def read(self, seed: int) -> None:
        """A reader who reloads about every half minute."""
        pause = random.Random(seed)
        time.sleep(pause.random() * PAUSE_SECONDS)
        while time.monotonic() < self.end:
            try:
                self.latencies.append(fetched(self.page))
            except OSError as error:
                self.failures.append(str(error))
            time.sleep(PAUSE_SECONDS * (0.5 + pause.random()))

    def send(self, number: int, delay: float) -> None:
        time.sleep(delay)
        began = datetime.now(UTC)
        status, text = self.uploaded(number)
        self.answers.append(Answer(status=status, text=text, not_before=began, not_after=datetime.now(UTC)))

    def rush(self, number: int, late: float) -> None:
        """An upload whose last byte arrives so many seconds after the closing (or before)."""
        moment = self.closes_at + timedelta(seconds=late)
        time.sleep(max(0.0, (moment - datetime.now(UTC)).total_seconds() - RUSH_SECONDS))
        status, text = self.uploaded(number, last_byte_at=moment)
        self.rushed.append(Answer(status=status, text=text, not_before=moment, not_after=moment))

    def uploaded(self, number: int, last_byte_at: datetime | None = None) -> tuple[int, str]:
        session = self.site.sessions[number % len(self.site.sessions)]
        archive = self.archives[number % TEAMS]
        status, _, text = upload(self.site.web.url, session, archive, timeout=120, last_byte_at=last_byte_at)
        return status, text


def main() -> None:
    if not DATA.is_dir():
        print("NOT MEASURED: ../shared/data is not next to this checkout.")
        return
    with real_site() as site:
        idle = sorted(fetched(f"{site.web.url}/tasks/drill/leaderboard/") for _ in range(100))
        closes_at = datetime.now(UTC) + timedelta(seconds=60 * MINUTES * 0.8)
        hour = Hour(site=site, seconds=60 * MINUTES, closes_at=closes_at)
        with psycopg.connect(site.environment["DATABASE_URL"], autocommit=True) as database:
            database.execute("UPDATE competition_phase SET closes_at = %s", [closes_at])
        with working(site):
            play(hour)
        print_report(hour, idle)


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
    for number in range(RUSH):
        late = chance.uniform(NEAR, FAR) * (-1) ** number
        senders.append(threading.Thread(target=hour.rush, args=(number, late), daemon=True))
    readers = [threading.Thread(target=hour.read, args=(seed,), daemon=True) for seed in range(READERS)]
    for thread in senders + readers:
        thread.start()
    for thread in senders:
        thread.join()
    time.sleep(max(0.0, hour.end - time.monotonic()))


def print_report(hour: Hour, idle: list[float]) -> None:
    answers = hour.answers + hour.rushed
    early = [answer for answer in answers if answer.not_after < hour.closes_at]
    late = [answer for answer in answers if answer.not_before >= hour.closes_at]
    assert [answer.text for answer in early if answer.status != 302] == []
    assert [answer.text for answer in late if not answer.is_refused_with_its_reason] == []
    ((runs, last),) = hour.site.query("SELECT count(*), max(received_at) FROM submissions_run")
    receipts = sum(answer.status == 302 for answer in answers)
    assert runs == TEAMS + receipts, "a receipt without its run, or a run without its receipt"
    assert isinstance(last, datetime)
    assert last < hour.closes_at
    busy = sorted(hour.latencies)
    slow, calm = at(0.95, busy), at(0.95, idle)
    print(
        f"Deadline hour, {MINUTES:g} of 10 minutes: {len(early)} uploads of {SETS} files before closing "
        f"received, {len(late)} later ones refused with the reason, {len(hour.rushed)} of all with their "
        f"last byte in the second before or after it;\n  {len(busy)} leaderboards read by {READERS} people, "
        f"{len(hour.failures)} failed; median {1000 * at(0.5, busy):.0f} ms, 95th percentile "
        f"{1000 * slow:.0f} ms, {slow / calm:.1f} times that of an idle server ({1000 * calm:.0f} ms)"
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
