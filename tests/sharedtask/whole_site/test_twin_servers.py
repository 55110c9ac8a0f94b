"""Running servers that differ only in a secret give participants and visitors the same bytes.

Two at a time are compared: web server, worker, database and Redis of each are its own. They differ in gold,
or in one sealed surprise set. They get the same requests, at the same moments; every byte that comes back
before release is the same, headers, cookies and mails included, also for an upload that names the sealed set.
What the web process does for each request is the same too: the same statements to the database, files opened
in the same folders. That is checked in place of durations, which no test could compare without failing now
and then. `test_non_interference.py` plays more worlds in one process.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path

import pytest

from tests.conftest import MakeSite
from tests.machinery.broker import QUEUES, running
from tests.machinery.site import start_server, start_worker
from tests.sharedtask.support.crawl import crawl_by, guesses
from tests.sharedtask.support.twins import Twin
from tests.sharedtask.support.worlds import SEALED, SURPRISE, TEST_CLOSES, TEST_OPENS, TEXTS, Variant, archive

pytestmark = pytest.mark.slow
WORLDS = {
    "base": Variant(),
    "other gold": Variant(gold="anothergold", gold_heads=1),
    "no sealed set": Variant(sealed_set=False),
}
SECOND = timedelta(seconds=1)


@pytest.fixture
def twins(tmp_path: Path, embedded_site: MakeSite) -> Iterator[dict[str, Twin]]:
    """Started one after the other, from this thread, whose end the kernel would take for the parent's."""
    with ExitStack() as started:
        twins = {}
        for name, variant in WORLDS.items():
            folder = tmp_path / name.replace(" ", "-")
            broker = started.enter_context(running(folder / "redis"))
            environment = embedded_site(
                folder / "data",
                TWIN_FOLDER=str(folder),
                REDIS_URL=broker.url,
                LOG_LEVEL="WARNING",
                SITE_URL="http://127.0.0.1",
            )
            # Whoever signs with another key gives other cookies; that is no secret of the competition.
            (folder / "data" / "secret_key").write_text("the same for all of them")
            # Django writes some SQL in the order of a set.
            environment["PYTHONHASHSEED"] = "0"
            twin = Twin(environment, variant, broker)
            twin.web = start_server(
                environment, folder / "web.log", application="tests.machinery.twins.web", numbers=(1, 1)
            )
            started.callback(twin.web.stop)
            app, queues = "tests.machinery.twins.worker", f"--queues={','.join(QUEUES)}"
            worker = start_worker(environment, folder / "worker.log", "--pool=solo", queues, app=app)
            started.callback(worker.stop)
            twins[name] = twin
        yield twins


def known_to_participants(twin: Twin) -> dict[str, list[str]]:
    """Alarms, messages and standings of blind phases have ids that depend on gold and that nobody has."""
    ids = {
        name: twin.rows(f"SELECT public_id FROM {table} ORDER BY id")
        for name, table in (("runs", "submissions_run"), ("systems", "teams_system"), ("teams", "teams_team"))
    }
    return ids | {"slug": ["mini"], "code": [*TEXTS, "nonsense"], "act": ["reject"], "variant": ["raw"]}


def look(twin: Twin, *names: str) -> None:
    """Everything that can be reached by links, and every address of the site that can be guessed."""
    known = known_to_participants(twin)
    for name in names:
        caller = twin.visit(name)
        guessed = [url for url in guesses(known) if not url.startswith("/account/")]
        crawl_by(caller.fetch, ["/", "/tasks/mini/leaderboard/?phase=test", *guessed])
        for run in known["runs"]:
            caller.get(f"/runs/{run}/state/?version=checked-2-2", **{"HX-Request": "true"})


def upload(twin: Twin, name: str, phase: str, content: bytes) -> str:
    caller = twin.visit(name)
    caller.upload("/tasks/mini/upload/", content, phase=phase)
    assert caller.status == 302, caller.page
    return caller.location


def before_release(twin: Twin) -> None:
    upload(twin, "member", "dev", archive("de_dev", lemma="public"))
    twin.work()
    twin.move(TEST_OPENS)
    upload(twin, "member", "test", archive("de_one en_two", lemma="right"))
    twin.work()
    twin.move(TEST_OPENS + timedelta(hours=1))
    sealed = upload(twin, "member", "test", archive(f"de_one {SEALED}", lemma="names-the-sealed-set"))
    upload(twin, "rival", "test", archive("de_one en_two", lemma="wrong", broken="en_two", head=1))
    upload(twin, "member", "test", archive("fi_late", lemma="names-what-is-not-out"))
    twin.work()
    assert "unknown-test-set" in twin.visit("member").get(sealed)
    twin.move(SURPRISE - SECOND)
    look(twin, "visitor", "member", "rival")


def after_release(twin: Twin) -> dict[str, str]:
    """Where the worlds must differ, or the comparison would show nothing."""
    twin.move(SURPRISE)
    task = twin.visit("visitor").get("/tasks/mini/")
    twin.move(TEST_CLOSES)
    twin.write("UPDATE competition_task SET results_published_at = ?", str(TEST_CLOSES.replace(tzinfo=None)))
    run = twin.rows("SELECT public_id FROM submissions_run ORDER BY id")[1]
    return {"task": task, "run": twin.visit("member").get(f"/runs/{run}/")}


def play(twin: Twin) -> dict[str, str]:
    before_release(twin)
    twin.before = dict(twin.received)
    return after_release(twin)


def test_running_servers_that_differ_in_a_secret_give_the_same_bytes(twins: dict[str, Twin]) -> None:
    with ThreadPoolExecutor() as pool:
        after = dict(zip(twins, pool.map(play, twins.values()), strict=True))
    base = twins["base"]
    assert len(base.before) > 150
    assert sum("signature" in answer.decode(errors="replace") for answer in base.before.values()) > 0
    for name in ("other gold", "no sealed set"):
        other = twins[name]
        assert list(other.before) == list(base.before), f"{name}: other addresses can be reached"
        for label, answer in base.before.items():
            assert other.before[label] == answer, f"{name}: {label}"
        assert other.mails() == base.mails()
        work = dict(base.done_for_requests())
        for label, done in other.done_for_requests():
            if label in base.before:
                assert done == work[label], f"{name}: {label} takes other work"
    assert base.mails()
    assert any(sql.startswith("SELECT") for _, done in base.done_for_requests() for sql in done)
    assert any(sql.startswith("open in") for _, done in base.done_for_requests() for sql in done)
    assert after["base"]["task"] != after["no sealed set"]["task"]
    assert after["base"]["run"] != after["other gold"]["run"]
