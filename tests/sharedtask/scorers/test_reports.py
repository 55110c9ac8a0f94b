"""What a scorer reports, and what becomes of it, with an engine that the test scripts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from django.test import Client

from sharedtask.accounts.models import User
from sharedtask.competition.metrics import main_metrics
from sharedtask.competition.models import Task
from sharedtask.competition.store_files import store_gold
from sharedtask.core import clock
from sharedtask.scorers.models import ScorerVersion
from sharedtask.submissions.models import Run, Score
from sharedtask.submissions.rescore import score_missing
from sharedtask.teams.models import Team
from tests.sharedtask.support.profiled import SENTENCES, Miniature
from tests.sharedtask.support.reading_scorers import figures, page
from tests.sharedtask.support.scripted_engine import Script, ScriptedEngine
from tests.sharedtask.support.tiny_scorers import Report, half, writes

pytestmark = pytest.mark.django_db(transaction=True)
Work = Callable[[], None]
AddScorer = Callable[..., ScorerVersion]


def changed(part: str, value: Any) -> Callable[[Mapping[str, bytes]], Report]:
    def report(inputs: Mapping[str, bytes]) -> Report:
        written = half(inputs)
        written["metrics"]["Roots"][part] = value
        return written

    return report


LIES: dict[str, tuple[Script, str]] = {
    "no file": (Script(write=lambda inputs: {"other.json": b"{}"}), "It wrote no file scores.json."),
    "no JSON": (Script(write=lambda inputs: {"scores.json": b"50 %"}), "the report is not JSON"),
    "another total": (
        writes(changed("total", [24, 24, 13])),
        "the units add up to [24, 24, 12], and total is [24, 24, 13]",
    ),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_report_that_is_wrong_is_an_error_of_the_scorer(
    lie: str,
    scripted: ScriptedEngine,
    add_scorer: AddScorer,
    submit_wrong: Callable[[], Run],
) -> None:
    scripted.script, expected = LIES[lie]
    add_scorer()
    run = submit_wrong()
    assert run.state == "failed" and not run.uses_quota
    (message,) = run.messages.all()
    assert expected in message.original and message.original.startswith("xx_one: scorer 1: ")
    score = Score.objects.get()
    assert score.state == "failed" and score.counts == {} and score.units == "", "nothing is half-stored"
    assert scripted.run_ids() == set()


def test_a_scorer_that_fails_is_reported_to_organisers_alone(
    member: User,
    scripted: ScriptedEngine,
    add_scorer: AddScorer,
    submit_wrong: Callable[[], Run],
    organiser: User,
    client: Client,
) -> None:
    """It prints gold and exits with 3."""
    scripted.script = Script(write=lambda inputs: {}, exit_code=3, log=b"1 Bees bees NOUN in gold")
    add_scorer()
    run = submit_wrong()
    assert run.state == "failed" and run.failure["kind"] == "ScorerFailure"
    (message,) = run.messages.all()
    assert "The scorer ended." in message.original and "1 Bees bees NOUN" in message.original
    assert message.released_at is None
    client.force_login(member)
    team_page = page(client, run.get_absolute_url())
    assert "The scorer failed." in team_page
    assert "ended" not in team_page and "Bees" not in team_page and "scorer 1" not in team_page
    client.force_login(organiser)
    assert "1 Bees bees NOUN" in page(client, f"/tasks/conll18/organise/runs/{run.public_id}/")
    details = page(client, run.get_absolute_url())
    assert details.count("1 Bees bees NOUN in gold") == 1, "the log is there, once"
    assert scripted.run_ids() == set(), "nothing is kept"
    score = Score.objects.get()
    assert score.state == "failed" and score.counts == {} and score.units == ""


def test_a_task_whose_first_scorer_failed_is_repaired_by_the_next(
    scripted: ScriptedEngine,
    add_scorer: AddScorer,
    submit_wrong: Callable[[], Run],
    organiser: User,
    client: Client,
    work: Work,
) -> None:
    client.force_login(organiser)
    scripted.script = Script(write=lambda inputs: {}, exit_code=3)
    add_scorer()
    text = page(client, "/tasks/conll18/organise/scorer/")
    assert "In a task without scores, it comes into force with the first one." in text
    run = submit_wrong()
    assert run.state == "failed"
    scripted.script = writes(half)
    add_scorer(version="2.0")
    score_missing(at=clock.database_now())
    work()
    text = page(client, "/tasks/conll18/organise/profile/")
    assert "No run has been scored by both versions yet." in text
    compared = re.search(r"Put version (\S+) in force", text)
    assert compared is not None
    form = {"reason": "Version 1 failed.", "compared": compared[1]}
    assert client.post("/tasks/conll18/organise/profile/put-in-force/", form).status_code == 302
    work()
    run.refresh_from_db()
    assert run.state == "scored"


def classes(inputs: Mapping[str, bytes]) -> Report:
    """Two classes that are those of gold."""
    units = len(json.loads(inputs["metadata.json"])["sentences"])
    table = {"rows": ["a", "b"], "columns": ["N", "V"], "units": [[[0, 0, 3], [1, 1, 1]]] * units}
    return {"tables": {"classes": table | {"total": [[0, 0, 3 * units], [1, 1, units]]}}}


def test_a_scorer_may_report_a_table(
    task: Task,
    team: Team,
    mini: Miniature,
    scripted: ScriptedEngine,
    add_scorer: AddScorer,
    upload: Callable[..., Run],
    work: Work,
    client: Client,
) -> None:
    scripted.script = writes(classes)
    bits = {"explanation": "bits", "table": "classes", "rule": "variation-of-information"}
    words = {"explanation": "words", "table": "classes", "rule": "many-to-one"}
    add_scorer(metrics={"Bits": bits, "Right": words}, main=["Right", "Bits"])
    run = upload(mini.archive(mini.wrong), team=team)
    work()
    run.refresh_from_db()
    assert run.state == "scored", [message.original for message in run.messages.all()]
    score = Score.objects.get()
    assert (score.counts["Right"], score.counts["Bits"]) == ({"figure": 1.0}, {"figure": 0.0})
    assert figures(client, "Right")["Birch"].startswith("100.00")
    assert figures(client, "Bits")["Birch"].startswith("0.00")
    assert re.search(r"100\.00 ?[–-] ?100\.00", page(client, "/tasks/conll18/leaderboard/?metric=Right"))


def test_a_scorer_does_not_decide_which_reference_is_best(
    task: Task,
    team: Team,
    mini: Miniature,
    scripted: ScriptedEngine,
    add_scorer: AddScorer,
    upload: Callable[..., Run],
    work: Work,
) -> None:
    """The evaluator's first main metric does, and the scorer gets that reference."""
    given: list[bytes] = []

    def keep_gold(inputs: Mapping[str, bytes]) -> Report:
        given.append(inputs["gold.conllu"])
        return half(inputs)

    scripted.script = writes(keep_gold)
    store_gold(task.test_sets.get(), mini.gold.encode(), references={"roots": mini.wrong.encode()})
    add_scorer()
    score_missing(at=clock.database_now())
    task.refresh_from_db()
    assert main_metrics(task) == ["Roots"], "the scorer is in force"
    upload(mini.archive(mini.wrong), team=team)
    work()
    score = Score.objects.get()
    assert (score.reference, score.counts["Roots"]["correct"]) == ("roots", SENTENCES // 2), score.failure
    assert score.by_reference["gold"]["LAS"] < score.by_reference["roots"]["LAS"] == 1.0
    assert given == [mini.wrong.encode()]


def test_an_engine_that_fails_is_tried_again(
    scripted: ScriptedEngine,
    add_scorer: AddScorer,
    submit_wrong: Callable[[], Run],
) -> None:
    scripted.script.platform_error = True
    add_scorer()
    run = submit_wrong()
    assert run.state == "scoring" and Score.objects.get().attempts == 1
    assert not run.messages.exists()
