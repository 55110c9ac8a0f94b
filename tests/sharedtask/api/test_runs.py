"""Runs through the API: create, read, watch, and the acts of a team."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from sharedtask.accounts.models import User
from sharedtask.api import watch
from sharedtask.api.models import StoredAnswer
from sharedtask.competition.models import Phase, Task
from sharedtask.core import clock
from sharedtask.submissions.models import Run
from sharedtask.teams.models import Team
from sharedtask.teams.register import register
from tests.sharedtask.support.building import FIRST, TWO_ROOTS, good_archive
from tests.sharedtask.support.calling import Caller
from tests.sharedtask.support.tus import RUN, Tus, metadata

pytestmark = pytest.mark.django_db(transaction=True)
RUNS = "/tasks/tiny/runs"


@pytest.fixture
def caller(member: User, team: Team, dispatched: list[Any]) -> Caller:
    return Caller(member)


def test_an_upload_becomes_a_run_with_a_receipt(caller: Caller) -> None:
    run = caller.upload(RUNS, good_archive(), note="first try")
    assert (run["state"], run["number"], run["phase"], run["team"]) == ("received", 1, "open", "Alder")
    row = Run.objects.get()
    assert run["receipt"]["sha256"] == row.sha256
    assert run["receipt"]["note"] == "first try"
    assert run["url"].endswith(f"/runs/{row.public_id}/")
    assert caller.response["Location"].endswith(f"/api/v1/runs/{row.public_id}")


def test_a_scored_run_has_the_figures_of_its_page(
    caller: Caller, client: Any, work: Callable[[], None]
) -> None:
    run = caller.upload(RUNS, good_archive(en_two=TWO_ROOTS))
    work()
    run = caller.get(f"/runs/{run['id']}")
    page = client.get(f"/runs/{run['id']}/").content.decode()
    assert run["state"] == "scored" and run["is_final"]
    files = {file["test_set"]: file for file in run["files"]}
    assert files["de_one"]["state"] == "scored"
    (metric, score), *_ = files["de_one"]["scores"].items()
    assert score == 100.0 and f"{score:.2f}" in page
    assert files["en_two"]["state"] == "invalid"
    assert [kind["id"] for kind in files["en_two"]["incidents"]] == ["several-roots"]
    assert run["averages"][metric] == 50.0
    assert run["rank"]["rank"] == 1


def test_single_files_are_packed(caller: Caller, work: Callable[[], None]) -> None:
    caller.upload(RUNS, FIRST.encode(), name="de_one.conllu")
    work()
    (run,) = caller.get(RUNS)["items"]
    states = {file["test_set"]: file["state"] for file in caller.get(f"/runs/{run['id']}")["files"]}
    assert states == {"de_one": "scored", "en_two": "missing"}


def test_the_same_key_gives_the_same_run(caller: Caller) -> None:
    first = caller.upload(RUNS, good_archive(), key="k1")
    again = caller.upload(RUNS, good_archive(), key="k1")
    assert first == again
    assert caller.response["Idempotent-Replayed"] == "true"
    assert Run.objects.count() == 1
    assert caller.upload(RUNS, good_archive(), key="k2")["number"] == 2


def test_the_same_key_with_other_bytes_is_refused(caller: Caller) -> None:
    caller.upload(RUNS, good_archive(), key="k1")
    problem = caller.upload(RUNS, good_archive(en_two=TWO_ROOTS), key="k1", status=422)
    assert problem["id"] == "idempotency-key-reused"
    assert caller.upload(RUNS, good_archive(), key="k1", note="other", status=422)["id"] == problem["id"]


def test_keys_of_two_tokens_are_apart(caller: Caller, member: User) -> None:
    caller.upload(RUNS, good_archive(), key="k1")
    assert Caller(member).upload(RUNS, good_archive(), key="k1")["number"] == 2


def test_a_process_that_died_after_accepting_leaves_one_run(caller: Caller) -> None:
    run = caller.upload(RUNS, good_archive(), key="k1")
    # As if the answer had not been stored.
    StoredAnswer.objects.update(status=None, body="")
    assert caller.upload(RUNS, good_archive(), key="k1", status=409)["id"] == "request-in-progress"
    StoredAnswer.objects.update(running_until=clock.database_now())
    assert caller.upload(RUNS, good_archive(), key="k1")["id"] == run["id"]
    assert Run.objects.count() == 1


def test_a_refused_upload_can_be_sent_again_with_its_key(caller: Caller, phase: Phase) -> None:
    phase.runs_per_day = 0
    phase.save()
    problem = caller.upload(RUNS, good_archive(), key="k1", status=403)
    assert problem["id"] == "daily-quota-used" and problem["expected"]
    phase.runs_per_day = 1
    phase.save()
    assert caller.upload(RUNS, good_archive(), key="k1")["number"] == 1


def test_a_closed_phase_refuses_with_the_reason(caller: Caller, phase: Phase) -> None:
    phase.closes_at = clock.database_now() - timedelta(minutes=1)
    phase.save()
    problem = caller.upload(RUNS, good_archive(), phase="open", status=403)
    assert problem["id"] == "phase-closed" and "has closed" in problem["detail"]
    assert caller.get("/tasks/tiny/quota")["items"] == []


def test_the_quota_says_what_is_left_and_what_stands_in_the_way(caller: Caller, phase: Phase) -> None:
    phase.runs_total = 1
    phase.save()
    (quota,) = caller.get("/tasks/tiny/quota")["items"]
    assert (quota["left_total"], quota["obstacle"]) == (1, None)
    caller.upload(RUNS, good_archive())
    (quota,) = caller.get("/tasks/tiny/quota")["items"]
    assert (quota["left_total"], quota["obstacle"]["id"]) == (0, "phase-quota-used")


def test_an_upload_without_a_team_or_a_file_is_refused(caller: Caller, task: Task) -> None:
    stranger = User.objects.create_user("stranger")
    assert Caller(stranger).upload(RUNS, b"x", status=403)["id"] == "upload-without-team"
    response = caller.client.post(f"/api/v1{RUNS}", {"note": "x"}, headers=caller.headers)
    assert (response.status_code, response.json()["id"]) == (400, "upload-without-file")
    assert caller.post(RUNS, {}, status=415)["id"] == "upload-type-unsupported"


def test_too_large_an_upload_is_refused(caller: Caller, settings: Any) -> None:
    settings.UPLOAD_LIMITS = settings.UPLOAD_LIMITS | {"archive_bytes": 100}
    assert caller.upload(RUNS, good_archive(), status=413)["id"] == "upload-too-large"
    assert not Run.objects.exists()


def test_a_resumable_upload_with_a_token(caller: Caller, team: Team) -> None:
    tus = Tus(caller.client)
    archive = good_archive()
    authorization = {"Authorization": caller.headers["Authorization"]}
    created = tus.send(
        "POST",
        "/uploads/",
        archive[:10],
        Upload_Length=str(len(archive)),
        Upload_Metadata=metadata_of_run(),
        **authorization,
    )
    assert created.status_code == 201 and created["Upload-Offset"] == "10"
    # Without the token, the upload does not exist.
    assert tus.send("HEAD", created["Location"]).status_code == 401
    done = tus.send("PATCH", created["Location"], archive[10:], Upload_Offset="10", **authorization)
    assert done.status_code == 204
    assert done["Upload-Receipt"] == f"/runs/{Run.objects.get().public_id}/"


def test_half_an_upload_is_no_run_and_a_read_token_uploads_nothing(member: User, caller: Caller) -> None:
    tus = Tus(caller.client)
    length = {"Upload_Length": "1000", "Upload_Metadata": metadata_of_run()}
    half = tus.send("POST", "/uploads/", b"x" * 500, **length, **caller.headers)
    assert half.status_code == 201 and not Run.objects.exists()
    reading = Caller(member, ["read"]).headers
    refused = tus.send("POST", "/uploads/", **length, **reading)
    assert (refused.status_code, refused.json()["id"]) == (403, "scope-missing")


def metadata_of_run() -> str:
    return metadata(RUN)


def test_others_see_no_more_than_on_the_page(
    caller: Caller, blind_team: Team, task: Task, blind_task: Task, work: Callable[[], None]
) -> None:
    blind = caller.upload("/tasks/blind/runs", good_archive())["id"]
    open_run = caller.upload(RUNS, good_archive())["id"]
    rival = User.objects.create_user("rival")
    for each in (task, blind_task):
        register(task=each, name="Beech", members=[rival], confirmed=True)
    work()
    mine = caller.get(f"/runs/{blind}")
    assert mine["state"] == "checked" and mine["averages"] == {} and mine["rank"] is None
    assert all(file["scores"] == {} and file["state"] == "valid" for file in mine["files"])
    for other in (Caller(), Caller(rival)):
        other.get(f"/runs/{blind}", status=404)
        seen = other.get(f"/runs/{open_run}")
        assert seen["state"] == "scored" and seen["receipt"] is None
    for path, method in ((f"/runs/{open_run}/withdraw", "POST"), (f"/runs/{open_run}/official", "POST")):
        Caller(rival).send(method, path, status=404)


def test_a_team_marks_withdraws_and_annotates(caller: Caller, blind_team: Team) -> None:
    run = caller.upload("/tasks/blind/runs", good_archive())["id"]
    assert caller.post(f"/runs/{run}/official")["receipt"]["is_official"]
    assert caller.send("PATCH", f"/runs/{run}", {"note": "the best"})["receipt"]["note"] == "the best"
    withdrawn = caller.post(f"/runs/{run}/withdraw", {"reason": "A mistake."}, key="w1")
    assert (withdrawn["status"], withdrawn["receipt"]["status_reason"]) == ("withdrawn", "A mistake.")
    assert caller.post(f"/runs/{run}/withdraw", {"reason": "A mistake."}, key="w1") == withdrawn
    assert caller.post(f"/runs/{run}/withdraw", status=409)["id"] == "already-withdrawn"


def test_lists_have_pages(caller: Caller) -> None:
    ids = [caller.upload(RUNS, good_archive())["id"] for _ in range(5)]
    first = caller.get(RUNS, limit=2)
    second = caller.get(RUNS, limit=2, cursor=first["next"])
    third = caller.get(RUNS, limit=2, cursor=second["next"])
    seen = [run["id"] for page in (first, second, third) for run in page["items"]]
    assert seen == ids[::-1] and third["next"] is None
    assert caller.get(RUNS, cursor="nonsense", status=400)["id"] == "cursor-unknown"


def test_a_client_waits_until_a_run_changes(
    caller: Caller, work: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = caller.upload(RUNS, good_archive())
    waited: list[float] = []

    def work_instead_of_sleeping(seconds: float) -> None:
        waited.append(seconds)
        work()

    monkeypatch.setattr(watch.time, "sleep", work_instead_of_sleeping)
    events = f"/runs/{run['id']}/events"
    change = caller.get(events, after=run["version"], wait=50)
    assert change["changed"] and change["run"]["state"] == "scored" and len(waited) == 1
    # A final run is not waited for.
    last = caller.get(events, after=change["run"]["version"], wait=50)
    assert not last["changed"] and len(waited) == 1


def test_few_clients_wait_at_a_time(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    run = caller.upload(RUNS, good_archive())
    monkeypatch.setattr(watch, "_waiting", threading.BoundedSemaphore(1))
    with watch._waiting:
        answer = caller.get(f"/runs/{run['id']}/events", after=run["version"], wait=50)
    assert not answer["changed"] and caller.response["Retry-After"]
