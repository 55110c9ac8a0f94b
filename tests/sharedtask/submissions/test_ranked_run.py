"""Open phases: which run of a system is ranked, and that the upload page says so before anything is sent."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from sharedtask.accounts.models import User
from sharedtask.competition.models import Phase, Task
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.standings.inputs import gather
from sharedtask.submissions.mark_official import mark_by_team, unmark_by_team
from sharedtask.submissions.models import Run
from sharedtask.teams.models import System, Team
from tests.sharedtask.support.building import good_archive

Upload = Callable[..., Run]
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def runs(upload: Upload, work: Callable[[], None]) -> list[Run]:
    """A perfect run, and a later one with half of the files."""
    runs = [upload(good_archive()), upload(good_archive(en_two=""))]
    work()
    return runs


def choose(task: Task, policy: str) -> None:
    Task.objects.filter(pk=task.pk).update(open_policy=policy)


def ranked(phase: Phase) -> list[int]:
    phase = Phase.objects.select_related("task").get(pk=phase.pk)
    return sorted(entry.run.number for entry in gather(phase, "open", at=clock.database_now()).entries)


def text_of(client: Client, path: str = "/tasks/tiny/upload/") -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", client.get(path).content.decode()).split())


@pytest.mark.parametrize(("policy", "number"), [("latest", 2), ("best", 1), ("marked", 2)])
def test_the_task_chooses_which_run_is_ranked(
    runs: list[Run], task: Task, phase: Phase, policy: str, number: int
) -> None:
    choose(task, policy)
    assert ranked(phase) == [number]


def test_a_mark_is_kept_until_it_is_removed(
    runs: list[Run], task: Task, phase: Phase, member: User, upload: Upload, work: Callable[[], None]
) -> None:
    choose(task, "marked")
    run = Run.objects.get(pk=runs[0].pk)
    mark_by_team(run=run, by=member)
    assert ranked(phase) == [1]
    upload(good_archive())
    work()
    assert ranked(phase) == [1]
    unmark_by_team(run=run, by=member)
    assert ranked(phase) == [3]


def test_each_system_has_its_own_mark(
    runs: list[Run], task: Task, phase: Phase, team: Team, member: User
) -> None:
    choose(task, "marked")
    other = System.objects.create(team=team, name="small")
    Run.objects.filter(pk=runs[1].pk).update(system=other)
    for run in runs:
        mark_by_team(run=Run.objects.get(pk=run.pk), by=member)
    assert ranked(phase) == [1, 2]


def test_without_the_policy_nothing_can_be_marked(runs: list[Run], member: User) -> None:
    with pytest.raises(Refusal, match="has no official runs"):
        mark_by_team(run=Run.objects.get(pk=runs[0].pk), by=member)


def test_a_blind_phase_never_chooses_by_score(runs: list[Run], task: Task, phase: Phase) -> None:
    choose(task, "best")
    Phase.objects.filter(pk=phase.pk).update(feedback="validity", kind="trial")
    assert ranked(phase) == [2]


@pytest.mark.parametrize(
    ("policy", "sentence"),
    [
        ("latest", "This upload replaces run 2 (LAS 50.00) on the leaderboard."),
        ("best", "The leaderboard shows your best run, now run 1 (LAS 100.00)."),
        ("marked", "This upload replaces run 2 (LAS 50.00) on the leaderboard, unless you mark a run."),
    ],
)
def test_the_upload_page_says_what_happens_to_the_ranked_run(
    client: Client, runs: list[Run], task: Task, member: User, policy: str, sentence: str
) -> None:
    choose(task, policy)
    client.force_login(member)
    assert sentence in text_of(client)


def test_the_upload_page_names_a_marked_run(
    client: Client, runs: list[Run], task: Task, member: User
) -> None:
    choose(task, "marked")
    mark_by_team(run=Run.objects.get(pk=runs[0].pk), by=member)
    client.force_login(member)
    page = text_of(client)
    assert "The leaderboard keeps run 1 (LAS 100.00), which your team marked." in page


def test_nothing_is_said_of_scores_in_a_blind_phase(
    client: Client, runs: list[Run], task: Task, phase: Phase, member: User
) -> None:
    Phase.objects.filter(pk=phase.pk).update(feedback="validity", kind="trial")
    client.force_login(member)
    page = text_of(client)
    assert "on the leaderboard" not in page
    assert "50.00" not in page


def test_nothing_is_replaced_by_a_first_run(client: Client, team: Team, member: User) -> None:
    client.force_login(member)
    assert "on the leaderboard" not in text_of(client)


def test_the_page_of_a_run_offers_the_mark_where_the_task_has_it(
    client: Client, runs: list[Run], task: Task, member: User, phase: Phase
) -> None:
    client.force_login(member)
    path = runs[0].get_absolute_url()
    assert "Mark for the leaderboard" not in text_of(client, path)
    choose(task, "marked")
    assert "Mark for the leaderboard" in text_of(client, path)
    client.post(f"{path}mark-official/")
    assert ranked(phase) == [1]
    assert "Unmark" in text_of(client, path)


def test_the_pages_need_no_more_queries_with_more_runs(
    client: Client,
    runs: list[Run],
    task: Task,
    member: User,
    upload: Upload,
    work: Callable[[], None],
) -> None:
    choose(task, "best")
    client.force_login(member)
    with CaptureQueriesContext(connection) as few:
        text_of(client)
    for _ in range(3):
        upload(good_archive())
    work()
    with CaptureQueriesContext(connection) as many:
        text_of(client)
    assert len(many) == len(few)
