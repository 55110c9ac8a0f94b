"""The stage of CoNLL 2017 in miniature: its task folder, a running site with a moved clock, its people.

The site is the real one: PostgreSQL, Redis, gunicorn, workers. Everybody acts through its pages.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import yaml

from sharedtask.folders.files import to_zip
from sharedtask.work import targets
from tests.machinery.broker import QUEUES, Broker, running
from tests.machinery.site import manage, start_server, start_worker
from tests.sharedtask.support.building import zip_of
from tests.sharedtask.support.signing_in import Visit
from tests.sharedtask.support.worlds import tree

ANNOUNCED = datetime(2027, 2, 1, 12, tzinfo=UTC)
DEVELOPMENT = datetime(2027, 3, 1, 12, tzinfo=UTC)
SURPRISE = datetime(2027, 5, 1, 12, tzinfo=UTC)
TEST = SURPRISE + timedelta(days=7)
CLOSING = TEST + timedelta(days=6)
EXTENDED = CLOSING + timedelta(hours=2)
AFTER = CLOSING + timedelta(days=14)
SECOND, HOUR, DAY = timedelta(seconds=1), timedelta(hours=1), timedelta(days=1)

WORDS = {
    "de_dev": "Hunde bellen laut",
    "de_gsd": "Birken wachsen langsam",
    "en_ewt": "Birds sing loudly",
    "bxr_bdt": "Morin gansaaraa guinaa",
}
GOLD = {code: tree(words) for code, words in WORDS.items()}
BLIND = {code: GOLD[code] for code in ("de_gsd", "en_ewt", "bxr_bdt")}
# The third word of the German sentence hangs on the first: what the organisers correct after the test.
CORRECTED = tree(WORDS["de_gsd"], head_of_last=1)
TASK = "/tasks/mini17/"
ORGANISE = TASK + "organise/"


def folder(**replaced: str) -> bytes:
    """The zip of the task folder; some gold may be replaced."""
    files = {"task.yaml": yaml.safe_dump(task())}
    files |= {f"gold/{code}.conllu": text for code, text in (GOLD | replaced).items()}
    files |= {f"raw/{code}.txt": f"{WORDS[code]}\n" for code in BLIND}
    return to_zip({name: text.encode() for name, text in files.items()})


def task() -> dict[str, Any]:
    german, blind = {"language": "German", "tag": "de", "groups": ["big"]}, {"inputs_released_at": TEST}
    english = {"language": "English", "tag": "en", "groups": ["big"]}
    buryat = {"language": "Buryat", "tag": "bxr", "groups": ["surprise"], "revealed_at": SURPRISE}
    return {
        "slug": "mini17",
        "title": "Parsing from raw text, in miniature",
        "summary": "Four sentences.",
        "description": "One paragraph.",
        "rules": "Be fair.",
        "rules_version": 1,
        "profile": "conll17",
        "missing": "zero",
        "withdrawn": "unranked",
        "baselines_ranked": True,
        "pseudonymous": True,
        "replicates": 50,
        "groups": ["big", "surprise"],
        "test_sets": [
            {"code": "de_dev", "public_gold": True} | german,
            {"code": "de_gsd"} | german | blind,
            {"code": "en_ewt"} | english | blind,
            {"code": "bxr_bdt"} | buryat | blind,
        ],
        "phases": [
            phase("dev", "development", "scores", DEVELOPMENT, TEST, ["de_dev"]),
            phase("test", "test", "validity", TEST, CLOSING, list(BLIND))
            | {"runs_per_day": 2, "runs_total": 4},
            phase("post", "post-evaluation", "scores", AFTER, None, list(BLIND)) | {"runs_total": 5},
        ],
    }


def phase(
    code: str, kind: str, feedback: str, opens: datetime, closes: datetime | None, sets: list[str]
) -> dict[str, Any]:
    values = {"code": code, "kind": kind, "title": code.title(), "feedback": feedback, "opens_at": opens}
    return values | ({"closes_at": closes} if closes else {}) | {"test_sets": sets}


PEOPLE = """
from sharedtask.accounts.models import User
from tests.sharedtask.support.people import person
for name in ("organiser", "alder", "beech", "cedar"):
    person(name)
User.objects.filter(username="organiser").update(is_superuser=True, is_staff=True)
"""


@contextmanager
def staged(environment: Mapping[str, str], folder: Path) -> Iterator[Stage]:
    """The site of this environment with its people, its web server and its workers, until the end."""
    with ExitStack() as started:
        broker = started.enter_context(running(folder / "redis"))
        clock = folder / "clock"
        clock.write_text("0")
        values = {**environment, "REDIS_URL": broker.url, "CLOCK_FILE": str(clock)}
        manage("shell", "-c", PEOPLE, environment=values)
        web = start_server(values, folder / "web.log", application="tests.machinery.moved.web")
        started.callback(web.stop)
        app, queues = "tests.machinery.moved.worker", f"--queues={','.join(QUEUES)}"
        worker = start_worker(values, folder / "worker.log", queues, app=app)
        started.callback(worker.stop)
        yield Stage(url=web.url, environment=values, clock=clock, broker=broker)


@dataclass
class Stage:
    """What all acts share. Signing in again after each move: months pass, and sessions end."""

    url: str
    clock: Path
    broker: Broker
    environment: dict[str, str]
    visits: dict[str, Visit] = field(default_factory=dict)

    def move(self, at: datetime) -> None:
        """The clock goes on from there."""
        new = self.clock.with_suffix(".new")
        new.write_text(str((at - datetime.now(UTC)).total_seconds()))
        # Whole at once: the processes read it before each request.
        new.replace(self.clock)
        self.visits.clear()

    def now(self) -> datetime:
        return datetime.now(UTC) + timedelta(seconds=float(self.clock.read_text()))

    def work(self) -> None:
        """What beat would start, and all that workers then find to do, standings included."""
        for name in (targets.SWEEP, targets.SWEEP_MAIL):
            self.broker.send(name)
        end = time.monotonic() + 60
        while True:
            self.broker.wait_until_idle()
            if not self.rows("SELECT 1 FROM competition_standingrequest"):
                return
            assert time.monotonic() < end, "standings are not computed"
            time.sleep(0.1)

    def rows(self, sql: str, *values: object) -> list[Any]:
        with psycopg.connect(self.environment["DATABASE_URL"]) as connection:
            result = connection.execute(sql, values).fetchall()  # type: ignore[call-overload]
        return [row[0] if len(row) == 1 else row for row in result]

    def visit(self, name: str = "") -> Visit:
        if name not in self.visits:
            self.visits[name] = Visit(self.url)
            if name:
                assert self.visits[name].sign_in(name.lower()) == (302, "/"), self.visits[name].page
        return self.visits[name]

    def page(self, path: str, name: str = "", status: int = 200) -> str:
        visit = self.visit(name)
        visit.get(path)
        assert visit.status == status, (path, visit.status)
        return visit.page

    def act(self, name: str, page: str, form: dict[str, str], *, to: str = "") -> str:
        """Fill in a form that is on a page, and send it; where it leads, or what is said there instead."""
        visit = self.visit(name)
        visit.post(page, form, to=to)
        assert visit.status in (302, 400, 409), (page, to, visit.status, visit.page)
        return visit.location

    def organise(self, path: str, *, on: str = "", **form: str) -> str:
        """What an organiser sends from the page `on`, or from the page of the same address."""
        where = self.act("organiser", ORGANISE + on if on else ORGANISE + path, form, to=ORGANISE + path)
        assert where, self.visit("organiser").page
        return where

    def upload(
        self, name: str, phase: str, *, to: str = TASK + "upload/", reason: str = "", **files: str
    ) -> str:
        """Out: the address of the receipt, or the id of what was refused."""
        visit = self.visit(name)
        content = zip_of({f"{code}.conllu": text for code, text in files.items()})
        visit.upload(to, content, name=f"{name}.zip", phase=phase, **({"reason": reason} if reason else {}))
        return visit.location if visit.status == 302 else fault_in(visit.page)

    def team(self, name: str) -> str:
        """Its public id, which the organisers' pages have."""
        rows = self.rows("SELECT public_id FROM teams_team WHERE name = %s", name)
        return str(rows[0])

    def system(self, name: str) -> str:
        sql = "SELECT s.public_id FROM teams_system s JOIN teams_team t ON t.id = s.team_id WHERE t.name = %s"
        return str(self.rows(sql, name)[0])


def fault_in(page: str) -> str:
    match = re.search(r"<code>([a-z]+(?:-[a-z]+)+)</code>", page)
    assert match is not None, page
    return match[1]


def id_of(address: str) -> str:
    return address.strip("/").split("/")[-1]
