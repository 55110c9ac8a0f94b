"""What everybody may read: tasks, inputs, standings, systems, comparisons, counts."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from sharedtask.accounts.models import User
from sharedtask.competition.models import Task
from sharedtask.core import clock
from sharedtask.submissions.models import Run
from sharedtask.teams.models import Team
from sharedtask.teams.register import register
from tests.sharedtask.support.building import TEXTS, WRONG_HEAD, good_archive
from tests.sharedtask.support.calling import ROOT, Caller, secret_of
from tests.sharedtask.support.in_process import client_with

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def visitor() -> Caller:
    return Caller()


@pytest.fixture
def ranked(task: Task, team: Team, upload: Callable[..., Run], work: Callable[[], None]) -> list[Run]:
    """Alder is perfect, Beech is not."""
    beech = register(task=task, name="Beech", members=[User.objects.create_user("beech")], confirmed=True)
    runs = [upload(good_archive()), upload(good_archive(en_two=WRONG_HEAD), team=beech)]
    work()
    return runs


def test_tasks_phases_and_test_sets(visitor: Caller, task: Task) -> None:
    (listed,) = visitor.get("/tasks")["items"]
    assert (listed["id"], listed["is_over"]) == ("tiny", False)
    assert visitor.get("/tasks/tiny")["description"] == "One paragraph."
    (phase,) = visitor.get("/tasks/tiny/phases")["items"]
    assert (phase["code"], phase["is_open"], phase["test_sets"]) == ("open", True, ["de_one", "en_two"])
    sets = visitor.get("/tasks/tiny/test-sets")["items"]
    assert [each["language"] for each in sets] == ["German", "English"]


def test_inputs_with_their_bytes(visitor: Caller, task: Task) -> None:
    inputs = visitor.get("/tasks/tiny/inputs")["items"]
    assert [each["test_set"] for each in inputs] == ["de_one", "en_two"]
    first = inputs[0]
    response = visitor.client.get(first["url"].removeprefix("http://testserver"))
    content = b"".join(response.streaming_content)
    assert content == TEXTS["de_one"].encode()
    assert hashlib.sha256(content).hexdigest() == first["sha256"]
    assert (len(content), response["Content-Type"]) == (first["size"], "text/plain; charset=utf-8")
    again = visitor.client.get(
        first["url"].removeprefix("http://testserver"), headers={"If-None-Match": response["ETag"]}
    )
    assert again.status_code == 304
    visitor.get("/tasks/tiny/inputs/de_one/other.txt", status=404)


def test_a_sealed_set_and_its_input_are_nowhere_until_their_time(visitor: Caller, task: Task) -> None:
    later = clock.database_now() + timedelta(days=1)
    task.test_sets.filter(code="en_two").update(revealed_at=later)
    for path in ("phases", "test-sets", "inputs", "check-rules", ""):
        visitor.get(f"/tasks/tiny/{path}".rstrip("/"))
        assert b"en_two" not in visitor.response.content and b"small" not in visitor.response.content, path
    visitor.get("/tasks/tiny/inputs/en_two/en_two.txt", status=404)
    organiser = User.objects.create_user("organiser")
    task.organisers.add(organiser)
    assert len(Caller(organiser, ["organise"]).get("/tasks/tiny/test-sets")["items"]) == 2
    # Without the scope, an organiser is a reader like others.
    assert len(Caller(organiser, ["read"]).get("/tasks/tiny/test-sets")["items"]) == 1


def test_the_rules_for_a_check_at_home(visitor: Caller, task: Task) -> None:
    rules = visitor.get("/tasks/tiny/check-rules")
    (phase,) = rules["phases"]
    assert [file["name"] for file in phase["files"]] == ["de_one.conllu", "en_two.conllu"]
    hashes = {each["test_set"]: each["sha256"] for each in visitor.get("/tasks/tiny/inputs")["items"]}
    assert {file["test_set"]: file["raw_text_sha256"] for file in phase["files"]} == hashes
    assert rules["profile"] == "conll17" and rules["limits"]["members"] > 0


def test_standings_are_those_of_the_page(visitor: Caller, client: Client, ranked: list[Run]) -> None:
    standing = visitor.get("/tasks/tiny/standings")
    assert [row["team"] for row in standing["items"]] == ["Alder", "Beech"]
    first, second = standing["items"]
    assert (first["rank"], first["score"], first["run"]) == (1, 100.0, ranked[0].public_id)
    page = client.get("/tasks/tiny/leaderboard/").content.decode()
    assert f"{second['score']:.2f}" in page and standing["signature"] in page
    document = client.get("/tasks/tiny/leaderboard.json").json()
    assert standing["signature"] == document["signature"]
    assert second["figures"] == document["systems"][1]["figures"]
    assert second["rank_low"] == document["systems"][1]["rank_range"][0]


def test_standings_are_records_that_make_a_table(ranked: list[Run], member: User) -> None:
    """Each has the same columns with plain values, which is what `pandas.DataFrame` takes."""
    first, second = client_with(secret_of(member)).standings("tiny")
    assert list(first) == list(second) and {"rank", "team", "score", "LAS", "LAS_low"} <= set(first)
    assert all(isinstance(value, str | int | float | None) for value in (first | second).values())
    assert first["LAS"] > second["LAS"]


def test_cuts_of_the_standings(visitor: Caller, ranked: list[Run]) -> None:
    group = visitor.get("/tasks/tiny/standings", group="small")
    assert (group["test_sets"], group["group"]) == (["en_two"], "small")
    metric = visitor.get("/tasks/tiny")["metrics"][-1]
    assert visitor.get("/tasks/tiny/standings", metric=metric)["metric"] == metric
    assert visitor.get("/tasks/tiny/standings", metric="nonsense", status=422)["id"] == "metric-unknown"
    assert visitor.get("/tasks/tiny/standings", group="nonsense", status=422)["id"] == "group-unknown"
    (only,) = visitor.get("/tasks/tiny/standings", q="beech")["items"]
    assert (only["team"], only["rank"]) == ("Beech", 2)
    ascending = visitor.get("/tasks/tiny/standings", sort="LAS")["items"]
    assert [row["team"] for row in ascending] == ["Beech", "Alder"]
    Team.objects.filter(name="Alder").update(is_baseline=True)
    assert len(visitor.get("/tasks/tiny/standings", hide="baselines")["items"]) < 2
    visitor.get("/tasks/tiny/standings", hide="nonsense", status=422)
    visitor.get("/tasks/tiny/standings", phase="nonsense", status=404)
    visitor.get("/tasks/tiny/standings", ranking="nonsense", status=404)


def test_the_matrix_systems_and_a_comparison(visitor: Caller, ranked: list[Run]) -> None:
    alder, beech = (run.public_id for run in ranked)
    matrix = visitor.get("/tasks/tiny/matrix")
    assert matrix["test_sets"] == ["de_one", "en_two"]
    assert matrix["items"][0]["cells"]["de_one"] == {"status": "valid", "value": 100.0}
    systems = visitor.get("/tasks/tiny/systems")["items"]
    assert [(system["rank"], system["run"]) for system in systems] == [(1, alder), (2, beech)]
    system = visitor.get(f"/systems/{systems[0]['id']}")
    assert system["ranking"]["run"] == alder and system["runs"][0]["id"] == alder
    pair = visitor.get("/tasks/tiny/comparisons", a=beech, b=alder)
    assert (pair["better"], pair["wins"], pair["ties"]) == (alder, 1, 1)
    difference = {each["test_set"]: each["difference"] for each in pair["items"]}
    assert difference["de_one"] == 0.0 and difference["en_two"] < 0
    visitor.get("/tasks/tiny/comparisons", a=alder, b=alder, status=404)
    visitor.get("/tasks/tiny/comparisons", a=alder, status=422)


def test_counts_per_sentence_of_released_gold(visitor: Caller, ranked: list[Run]) -> None:
    counts = visitor.get(f"/tasks/tiny/counts/en_two/{ranked[1].public_id}")
    assert [(row["words"], row["errors"]) for row in counts["items"]] == [(3, 1)]
    assert {"gold", "system", "correct"} <= set(next(iter(counts["counts"].values())))
    visitor.get("/tasks/tiny/counts/en_two/nonsense", status=404)


def test_a_blind_phase_has_no_results(
    visitor: Caller, blind_team: Team, upload: Callable[..., Run], work: Callable[[], None], member: User
) -> None:
    run = upload(good_archive(), team=blind_team)
    work()
    for caller in (visitor, Caller(member)):
        for path in ("standings", "matrix", "systems", f"counts/en_two/{run.public_id}"):
            assert caller.get(f"/tasks/blind/{path}", status=404)["id"] == "not-found"
    organiser = User.objects.create_user("organiser")
    blind_team.task.organisers.add(organiser)
    Caller(organiser, ["read"]).get("/tasks/blind/standings", status=404)
    assert len(Caller(organiser, ["organise"]).get("/tasks/blind/standings")["items"]) == 1


def test_visitors_get_results_from_the_cache_and_owners_of_tokens_do_not(
    visitor: Caller, member: User, ranked: list[Run], django_assert_max_num_queries: Any
) -> None:
    first = visitor.client.get(f"{ROOT}/tasks/tiny/standings")
    with django_assert_max_num_queries(1):
        again = visitor.client.get(f"{ROOT}/tasks/tiny/standings")
    assert again.content == first.content
    assert "RateLimit" in again and again["Access-Control-Allow-Origin"] == "*"
    own = Caller(member)
    own.get("/tasks/tiny/standings")
    assert own.response["Cache-Control"] == "private, no-store"


def test_reading_the_standings_takes_a_fixed_number_of_queries(
    member: User, task: Task, ranked: list[Run], upload: Callable[..., Run], work: Callable[[], None]
) -> None:
    caller = Caller(member)

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            caller.get("/tasks/tiny/standings")
        return len(captured)

    queries()
    before = queries()
    for name in ("Cedar", "Dogwood"):
        team = register(task=task, name=name, members=[User.objects.create_user(name)], confirmed=True)
        upload(good_archive(), team=team)
    work()
    queries()
    assert queries() == before
