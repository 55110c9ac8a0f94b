"""A running site of `tests/machinery/twins` with a small competition in it, and what a test does to it.

It has a database, a Redis, a data directory, a web server and a worker of its own. Nothing happens by itself:
the clock stands until it is moved, and workers have done all that there is to do before the next request.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from datetime import datetime, timedelta
from email import message_from_bytes
from pathlib import Path
from typing import Any

from sharedtask.work import targets
from tests.machinery.broker import Broker
from tests.machinery.site import Running, manage
from tests.sharedtask.support.crawl import Answer
from tests.sharedtask.support.signing_in import FORM, Visit
from tests.sharedtask.support.worlds import START, Variant

BUILD = """
from tests.machinery.twins import standing
from tests.sharedtask.support.worlds import START, Variant, build
with standing.standing_at(START):
    standing.sow("building")
    build(Variant(**{variant!r}), standing.sow)
"""
A_WHILE = timedelta(seconds=30)


class Twin:
    def __init__(self, environment: Mapping[str, str], variant: Variant, broker: Broker) -> None:
        self.environment = dict(environment)
        self.folder = Path(environment["TWIN_FOLDER"])
        self.now = START
        self.move(START)
        changed = {name: value for name, value in vars(variant).items() if value != getattr(Variant(), name)}
        manage("shell", "-c", BUILD.format(variant=changed), environment=self.environment)
        self.web: Running | None = None
        self.received: dict[str, bytes] = {}
        self.before: dict[str, bytes] = {}
        self.broker = broker

    def move(self, at: datetime) -> None:
        self.now = at
        (self.folder / "moment").write_text(at.isoformat())

    def rows(self, sql: str) -> list[Any]:
        with closing(sqlite3.connect(f"{self.environment['DATA_DIR']}/db.sqlite3", timeout=30)) as db:
            return [row[0] if len(row) == 1 else row for row in db.execute(sql)]

    def write(self, sql: str, *values: str) -> None:
        with closing(sqlite3.connect(f"{self.environment['DATA_DIR']}/db.sqlite3", timeout=30)) as db, db:
            db.execute(sql, values)

    def work(self) -> None:
        """All that was handed out; then, a while later, what beat and countdowns would have brought."""
        self.broker.wait_until_idle()
        self.move(self.now + A_WHILE)
        for task in (targets.SWEEP, targets.SWEEP_MAIL):
            self.broker.send(task)
            self.broker.wait_until_idle()
        for phase in self.rows("SELECT phase_id FROM competition_standingrequest ORDER BY phase_id"):
            self.broker.send(targets.COMPUTE_STANDINGS, phase)
        self.broker.wait_until_idle()

    def visit(self, name: str) -> Caller:
        """A browser of its own, signed in with the password."""
        caller = Caller(self, name)
        if name != "visitor":
            assert caller.sign_in(name) == (302, "/"), caller.page
        return caller

    def mails(self) -> list[str]:
        """To participants, without what says only which process sent it and when (Message-ID)."""
        letters = []
        for path in sorted((Path(self.environment["DATA_DIR"]) / "mail").glob("*.log")):
            for raw in path.read_bytes().split(b"-" * 79 + b"\n"):
                letter = message_from_bytes(raw)
                del letter["Message-ID"]
                if letter["To"] and "organiser" not in letter["To"]:
                    letters.append(letter.as_string())
        return sorted(letters)

    def done_for_requests(self) -> list[tuple[str, list[str]]]:
        lines = (self.folder / "work").read_text(encoding="utf-8").splitlines()
        return [(label, done) for label, done in map(json.loads, lines) if label]


class Caller(Visit):
    """Whatever is received is kept, with all headers, under a label: who asked for what, and when."""

    def __init__(self, twin: Twin, name: str) -> None:
        assert twin.web is not None
        super().__init__(twin.web.url)
        self.twin, self.name = twin, name

    def ask(self, method: str, path: str, body: bytes = b"", kind: str = FORM, **headers: str) -> int:
        asked = f"{self.twin.now:%m-%d %H:%M:%S} {self.name} {method} {path}"
        label = f"{len(self.twin.received)} {asked}"
        # The port is the one thing by which the two servers must differ, and pages may repeat it.
        values = {"Host": "127.0.0.1", "X-Label": label}
        super().ask(method, path, body, kind, **headers | values)
        assert self.status < 500, label
        self.twin.received[label] = self.answer().everything
        return self.status

    def answer(self) -> Answer:
        head = "\n".join(f"{name}: {value}" for name, value in self.headers).encode()
        return Answer(status=self.status, head=head, body=self.body)

    def fetch(self, url: str) -> Answer:
        self.get(url)
        return self.answer()
