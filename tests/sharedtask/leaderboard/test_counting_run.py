"""The leaderboard says which run of a system counts in a phase that shows scores."""

from __future__ import annotations

import pytest
from django.test import Client

from sharedtask.competition.models import Phase, Task
from tests.sharedtask.support.standing import compare, scored

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_worker", "dispatched")]

LATEST = "One row per system: its latest scored run."
BEST = "one row per system, its run with the highest LAS."
MARKED = "One row per system: the run that its team has marked, otherwise its latest scored run."


@pytest.mark.parametrize(("policy", "sentence"), [("latest", LATEST), ("best", BEST), ("marked", MARKED)])
def test_the_policy_of_the_task_is_stated(client: Client, phase: Phase, policy: str, sentence: str) -> None:
    Task.objects.update(open_policy=policy)
    phase.task.refresh_from_db()
    scored(phase, "Ash", 0.9)
    compare(phase)
    text = " ".join(client.get("/tasks/tiny/leaderboard/").content.decode().split())
    assert sentence in text
    assert sum(each in text for each in (LATEST, BEST, MARKED)) == 1
    caption = client.get("/tasks/tiny/leaderboard.tex").content.decode()
    assert ("Selected by score: the run of each system" in caption) is (policy == "best")
