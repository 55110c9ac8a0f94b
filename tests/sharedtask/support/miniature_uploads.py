"""The acts of the miniature in which many upload at once: at the closing, and against the quota."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

from tests.sharedtask.support.building import zip_of
from tests.sharedtask.support.miniature import (
    AFTER,
    CLOSING,
    CORRECTED,
    GOLD,
    HOUR,
    SECOND,
    TASK,
    Stage,
    fault_in,
)
from tests.sharedtask.support.signing_in import Upload, Visit

RACERS = 12
UPLOADS = 100


def uploads_race_the_closing(stage: Stage, runs: dict[str, str]) -> None:
    """Two teams send again and again over the last second: what came before the closing is in."""
    stage.organise(
        f"teams/{stage.team('Alder')}/quota/", on="", phase="test", runs="1000", reason="for the race"
    )
    stage.organise(
        f"teams/{stage.team('Cedar')}/quota/", on="", phase="test", runs="1000", reason="for the race"
    )
    before = len(stage.rows("SELECT 1 FROM submissions_run"))
    stage.move(CLOSING - 4 * SECOND)
    callers = [one_upload(stage, name, "test", de_gsd=GOLD["de_gsd"]) for name in ("Alder", "Cedar")]
    stage.move(CLOSING - 1.5 * SECOND)
    outcomes: list[tuple[datetime, str]] = []

    def send(number: int) -> None:
        while stage.now() < CLOSING + SECOND:
            began = stage.now()
            outcomes.append((began, callers[number % len(callers)]()))

    with ThreadPoolExecutor(RACERS) as pool:
        list(pool.map(send, range(RACERS)))
    counted = Counter(outcome for _, outcome in outcomes)
    assert set(counted) == {"receipt", "phase-closed"}, counted
    assert all(outcome == "phase-closed" for began, outcome in outcomes if began >= CLOSING)
    received = stage.rows("SELECT received_at FROM submissions_run ORDER BY id")[before:]
    assert len(received) == counted["receipt"] > 0, "a receipt for every run, and no run without one"
    assert max(received) < CLOSING
    stage.work()


def one_upload(stage: Stage, name: str, phase: str, **files: str) -> Callable[[], str]:
    """A function that sends the same upload each time it is called, from any thread."""
    signed_in = stage.visit(name)
    signed_in.get(TASK + "upload/")
    token, cookies = signed_in.token(), dict(signed_in.cookies)
    content = zip_of({f"{code}.conllu": text for code, text in files.items()})

    def upload() -> str:
        visit = Visit(stage.url)
        visit.cookies = dict(cookies)
        visit.send_form(TASK + "upload/", token, phase=phase, archive=Upload(f"{name}.zip", content))
        return "receipt" if visit.status == 302 else fault_in(visit.page)

    return upload


def a_hundred_uploads_at_once_meet_the_quota(stage: Stage) -> None:
    """Beech may send five in this phase, and of a hundred that come together five get a receipt."""
    stage.move(AFTER + HOUR)
    upload = one_upload(stage, "Beech", "post", de_gsd=CORRECTED)
    together = threading.Barrier(UPLOADS)

    def send(number: int) -> str:
        together.wait()
        return upload()

    with ThreadPoolExecutor(UPLOADS) as pool:
        outcomes = Counter(pool.map(send, range(UPLOADS)))
    assert outcomes == {"receipt": 5, "phase-quota-used": UPLOADS - 5}
    sql = (
        "SELECT number FROM submissions_run WHERE team_id = (SELECT id FROM teams_team WHERE name = 'Beech')"
    )
    assert sorted(stage.rows(sql)) == list(range(1, 10)), "three uploads, one combined, five late ones"
    stage.work()
