"""What organisers do through the API: the same acts as on the pages, with a reason and an audit entry."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sharedtask.accounts.models import User
from sharedtask.api.models import StoredAnswer
from sharedtask.competition.models import GoldVersion, Task
from sharedtask.competition.request_standings import request_standings
from sharedtask.core import clock
from sharedtask.folders.files import to_zip
from sharedtask.submissions.models import Run
from sharedtask.teams.models import Team
from sharedtask.teams.register import register
from tests.sharedtask.support.building import WRONG_HEAD, good_archive, task_folder
from tests.sharedtask.support.calling import SCOPES, Caller

pytestmark = pytest.mark.django_db(transaction=True)
REASON = {"reason": "It is time."}


@pytest.fixture
def organiser(task: Task, dispatched: list[Any]) -> Caller:
    user = User.objects.create_user("organiser")
    task.organisers.add(user)
    return Caller(user, SCOPES)


def folder_zip(folder: Path, **values: Any) -> bytes:
    root = task_folder(folder, **values)
    files = [path for path in sorted(root.rglob("*")) if path.is_file()]
    return to_zip({str(path.relative_to(root)): path.read_bytes() for path in files})


def test_a_new_task_is_checked_planned_approved_and_imported(
    organiser: Caller, work: Callable[[], None], tmp_path: Path
) -> None:
    content = folder_zip(tmp_path / "new", slug="fresh")
    job = organiser.upload("/task-folders", content, status=202, reason="A new task.", key="k")
    assert organiser.upload("/task-folders", content, status=202, reason="A new task.", key="k") == job
    work()
    planned = organiser.get(f"/folder-jobs/{job['id']}")
    assert (planned["state"], planned["is_final"]) == ("planned", True) and planned["plan"]
    organiser.post(f"/folder-jobs/{job['id']}/approve")
    work()
    assert organiser.get(f"/folder-jobs/{job['id']}")["state"] == "done"
    assert Task.objects.filter(slug="fresh").exists()
    assert "fresh" in organiser.get("/me")["organised_tasks"]


def test_a_check_changes_nothing(organiser: Caller, work: Callable[[], None], tmp_path: Path) -> None:
    job = organiser.upload("/task-folders?check=true", b"not a zip", status=202)
    work()
    assert organiser.get(f"/folder-jobs/{job['id']}")["problems"]
    good = organiser.upload("/task-folders?check=true", folder_zip(tmp_path / "n", slug="n"), status=202)
    work()
    assert organiser.post(f"/folder-jobs/{good['id']}/approve", status=409)["id"] == "not-planned"
    assert not Task.objects.filter(slug="n").exists()


def test_an_import_needs_a_reason_and_an_organiser(organiser: Caller, member: User, tmp_path: Path) -> None:
    content = folder_zip(tmp_path / "new", slug="fresh")
    assert organiser.upload("/task-folders", content, status=422)["id"] == "reason-missing"
    assert Caller(member, SCOPES).upload("/task-folders", content, status=404)["id"] == "not-found"
    assert Caller(member).upload("/task-folders", content, status=403)["id"] == "scope-missing"


def test_an_export_opens_with_its_key_alone(organiser: Caller, work: Callable[[], None]) -> None:
    export = organiser.post("/tasks/tiny/folder-exports", REASON, status=202, key="e")
    assert not StoredAnswer.objects.exists()
    work()
    path = f"/api/v1/folder-jobs/{export['job']['id']}/zip"
    assert organiser.client.get(path, headers=organiser.headers).status_code == 404
    headers = organiser.headers | {"X-Export-Key": export["key"]}
    response = organiser.client.get(path, headers=headers)
    assert response.status_code == 200 and response.content.startswith(b"PK")
    assert Task.objects.get(slug="tiny").audit.filter(action="export-folder").exists()


def test_corrected_gold_becomes_a_version_that_is_not_in_force(
    organiser: Caller, task: Task, work: Callable[[], None]
) -> None:
    path = "/tasks/tiny/gold/en_two"
    job = organiser.upload(path, WRONG_HEAD.encode(), status=202, reason="A head was wrong.", name="x.conllu")
    work()
    assert organiser.get(f"/folder-jobs/{job['id']}")["state"] == "done"
    assert GoldVersion.objects.filter(test_set__code="en_two").count() == 2
    assert task.test_sets.get(code="en_two").gold_in_force.number == 1  # type: ignore[union-attr]
    organiser.upload("/tasks/tiny/gold/nonsense", b"x", status=404)


def test_registrations_and_quotas(organiser: Caller, task: Task, member: User) -> None:
    team = register(task=task, name="Alder", members=[member], rules_version=1)
    (listed,) = organiser.get("/tasks/tiny/teams")["items"]
    assert (listed["name"], listed["registration"]) == ("Alder", "requested")
    path = f"/tasks/tiny/teams/{team.public_id}"
    assert organiser.post(f"{path}/confirm")["registration"] == "confirmed"
    grant = {"phase": "open", "runs": 3, "reason": "The server was down."}
    assert organiser.post(f"{path}/quota", grant, key="q")["extra_runs"] == 3
    # The same request again grants nothing more.
    assert organiser.post(f"{path}/quota", grant, key="q")["extra_runs"] == 3
    assert organiser.post(f"{path}/quota", grant | {"reason": " "}, status=422)["id"] == "reason-missing"
    assert organiser.post(f"{path}/quota", grant | {"runs": 0}, status=409)["id"] == "invalid-quota-grant"
    assert task.audit.filter(action="grant-quota").count() == 1


def test_results_are_published(
    organiser: Caller,
    blind_task: Task,
    blind_team: Team,
    upload: Callable[..., Run],
    work: Callable[[], None],
) -> None:
    blind_task.organisers.add(User.objects.get(username="organiser"))
    upload(good_archive(), team=blind_team)
    work()
    phase = blind_task.phases.get()
    assert organiser.post("/tasks/blind/publish", REASON, status=409)["id"] == "results-not-ready"
    phase.closes_at = clock.database_now()
    phase.save()
    request_standings(phase.pk, at=phase.closes_at)
    work()
    ready = organiser.get("/tasks/blind/readiness")["items"]
    assert [state["ranking"] for state in ready if state["is_ready"]]
    Caller().get("/tasks/blind/standings", status=404)
    published = organiser.post("/tasks/blind/publish", REASON)
    assert published["standings"]
    assert len(Caller().get("/tasks/blind/standings")["items"]) == 1
    unknown = REASON | {"rankings": ["nonsense"]}
    problem = organiser.post("/tasks/blind/publish", unknown, status=422)
    assert problem["id"] == "ranking-unknown" and ready[0]["key"] in problem["detail"]


def test_runs_are_rejected_and_restored(
    organiser: Caller, team: Team, upload: Callable[..., Run], member: User
) -> None:
    run = upload(good_archive()).public_id
    assert [each["id"] for each in organiser.get("/tasks/tiny/runs")["items"]] == [run]
    rejected = organiser.post(f"/runs/{run}/reject", {"reason": "Not their own output."})
    assert rejected["status"] == "rejected"
    assert Caller(member).get(f"/runs/{run}")["receipt"]["status_reason"] == "Not their own output."
    assert organiser.post(f"/runs/{run}/unreject", REASON)["status"] == "counts"
    assert organiser.post(f"/runs/{run}/retry", REASON, status=409)["id"] == "nothing-failed"
    assert organiser.post("/tasks/tiny/rescore", REASON) == {"runs": 0}


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/tasks/tiny/teams"),
        ("GET", "/tasks/tiny/readiness"),
        ("POST", "/tasks/tiny/publish"),
        ("POST", "/tasks/tiny/rescore"),
        ("POST", "/tasks/tiny/folder-exports"),
        ("POST", "/runs/RUN/reject"),
    ],
)
def test_for_everybody_else_these_do_not_exist(
    member: User, upload: Callable[..., Run], method: str, path: str
) -> None:
    path = path.replace("RUN", upload(good_archive()).public_id)
    body = REASON if method == "POST" else None
    Caller(member, SCOPES).send(method, path, body, status=404)
    assert Caller(member).send(method, path, body, status=403)["id"] == "scope-missing"
    Caller().send(method, path, body, status=401)
