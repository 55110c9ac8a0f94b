"""The example of a scorer as an image, through the whole site, on a real engine."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.test import Client

from airlock.engine import Engine, RunSpec
from sharedtask.accounts.models import User
from sharedtask.competition.models import AuditEntry, Task
from sharedtask.core import clock
from sharedtask.scorers.models import ScorerVersion
from sharedtask.standings.models import Standing
from sharedtask.submissions.models import Run, Score
from sharedtask.submissions.rescore import score_missing
from sharedtask.teams.models import Team
from sharedtask.teams.register import register
from tests.sharedtask.support.profiled import Miniature
from tests.sharedtask.support.reading_scorers import PROFILE, SCORER, figures, page

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
Work = Callable[[], None]


def second_version(text: str) -> str:
    """Every root counts, and those of verbs alone are correct; the name of the version is another."""
    return text.replace('"version": "1.0"', '"version": "2.0"').replace(
        "roots[unit_of(root)][2] += 1", "roots[unit_of(root)][2] += unit_of(root) % 2"
    )


def test_from_the_upload_of_an_image_to_a_new_version_in_force(
    task: Task,
    team: Team,
    mini: Miniature,
    engine: Engine,
    build_scorer: Callable[..., bytes],
    hand_in: Callable[..., ScorerVersion],
    upload: Callable[..., Run],
    work: Work,
    organiser: User,
    client: Client,
) -> None:
    version = hand_in(build_scorer())
    assert version.state == ScorerVersion.State.READY, version.refusal
    ash = register(task=task, name="Ash", confirmed=True)
    upload(mini.archive(mini.gold), team=ash)
    upload(mini.archive(mini.wrong), team=team)
    work()
    task.refresh_from_db()
    first = f"scorer-1-{version.sha256[:8]}"
    assert task.profile_version == first, "a task without scores uses it at once"
    assert set(Run.objects.values_list("state", flat=True)) == {"scored"}
    assert {score.profile_version for score in Score.objects.all()} == {first}
    score = Score.objects.get(file__run__team=team)
    assert score.counts["Roots"] == {"gold": 24, "system": 24, "correct": 12, "aligned": None}
    assert f"|profile-version:{first}|" in score.signature
    standing = Standing.objects.get()
    assert f"|profile-version:{first}|" in standing.signature and "|metric:Roots|" in standing.signature
    board = page(client, "/tasks/conll18/leaderboard/")
    assert "50.00" in board and re.search(r"\d\d\.\d\d ?[–-] ?\d\d\.\d\d", board), "with an interval"
    assert figures(client, "Roots") == {
        "Ash": "100.00",
        "Birch": "50.00",
    }
    assert figures(client, "Missed roots") == {
        "Ash": "0.00",
        "Birch": "50.00",
    }
    missed = "/tasks/conll18/leaderboard/?metric=Missed+roots&sort=Missed+roots"
    assert page(client, missed).index("Ash") < page(client, missed).index("Birch")
    assert engine.run_ids() == set(), "nothing is kept"

    # As after kill -9 of a worker: gold is still in the memory of a container.
    engine.start(RunSpec(run_id="left-over", image_id=version.image_id, inputs={"gold.conllu": b"gold"}))
    assert engine.run_ids() == {"left-over"}
    second = hand_in(build_scorer(second_version), note="Only every other root.")
    score_missing(at=clock.database_now())
    work()
    assert engine.run_ids() == set(), "the next score removes it"
    client.force_login(organiser)
    review = page(client, PROFILE)
    pending = f"scorer-2-{second.sha256[:8]}"
    assert f"Version {pending} to review" in review
    assert "100.00" in review and " 0.00" in review, "old and new side by side"
    assert "in force" in page(client, SCORER) and "Roots 2.0" in page(client, SCORER)
    late = upload(mini.archive(mini.gold), team=ash)
    work()
    late.refresh_from_db()
    assert late.state == "scored", "the version in force is still there"
    score_missing(at=clock.database_now())
    work()
    form = {"reason": "Half of them are enough.", "compared": pending}
    assert client.post(PROFILE + "put-in-force/", form).status_code == 302
    work()
    assert figures(client, "Roots") == {
        "Ash": "50.00",
        "Birch": "0.00",
    }
    actions = set(AuditEntry.objects.values_list("action", flat=True))
    assert {"upload-scorer", "put-profile-in-force"} <= actions
