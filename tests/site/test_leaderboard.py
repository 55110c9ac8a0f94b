"""The leaderboard: ranks, which run counts, and a number of queries that does not grow."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from sharedtask.competition.models import Task, TestSet
from sharedtask.leaderboard.standings import ranks_of, standings
from sharedtask.submissions.models import Run, RunFile
from sharedtask.teams.models import Membership, Team

pytestmark = pytest.mark.django_db


def scored(task: Task, name: str, las: float, *, baseline: bool = False, minutes: int = 0) -> Run:
    team, _ = Team.objects.get_or_create(name=name, defaults={"is_baseline": baseline})
    metrics = dict.fromkeys(("CLAS", "Tokens", "Words", "Sentences"), 0.5)
    return Run.objects.create(
        task=task,
        team=team,
        filename="run.zip",
        archive="uploads/none",
        size_bytes=1,
        sha256="0" * 64,
        state="scored",
        received_at=timezone.now() + timedelta(minutes=minutes),
        averages={"all": {"LAS": las, **metrics}, "groups": {"big": {"LAS": las}}, "files": {"scored": 2}},
    )


def test_ranks_are_shared_where_the_printed_figures_are_equal() -> None:
    assert ranks_of(["90.00", "80.00", "80.00", "70.00"]) == [1, 2, 2, 4]


def test_equality_is_that_of_the_printed_figures(task: Task) -> None:
    for name, las in (("Ash", 0.800041), ("Birch", 0.800001), ("Cedar", 0.79990)):
        scored(task, name, las)
    rows = standings(task).rows
    assert [(row.rank, row.run.team.name, row.scores[0]) for row in rows] == [
        (1, "Ash", "80.00"),
        (1, "Birch", "80.00"),
        (3, "Cedar", "79.99"),
    ]


def test_the_latest_scored_run_counts_even_if_an_earlier_one_was_better(task: Task) -> None:
    scored(task, "Ash", 0.9)
    latest = scored(task, "Ash", 0.6, minutes=1)
    later = scored(task, "Ash", 0.99, minutes=2)
    Run.objects.filter(pk=later.pk).update(state="failed")
    assert [row.run for row in standings(task).rows] == [latest]


def test_runs_of_another_task_do_not_count(task: Task, blind_task: Task) -> None:
    scored(blind_task, "Ash", 0.9, minutes=5)
    ours = scored(task, "Ash", 0.5)
    assert [row.run for row in standings(task).rows] == [ours]


@pytest.mark.parametrize(("ranked", "ranks"), [(True, [1, 2, 3]), (False, [1, None, 2])])
def test_whether_a_baseline_takes_a_rank_is_the_tasks_choice(
    task: Task, ranked: bool, ranks: list[int | None]
) -> None:
    task.baselines_ranked = ranked
    scored(task, "Ash", 0.9)
    scored(task, "Base", 0.8, baseline=True)
    scored(task, "Cedar", 0.7)
    assert [row.rank for row in standings(task).rows] == ranks


def test_a_group_without_figures_is_printed_as_a_dash(task: Task) -> None:
    scored(task, "Ash", 0.9)
    assert standings(task).rows[0].groups == ("90.00", "–")


def test_the_signature_changes_with_what_the_figures_depend_on(task: Task) -> None:
    before = standings(task).signature
    assert before == standings(task).signature
    assert "profile:conll17" in before
    TestSet.objects.filter(code="en_two").update(gold_sha256="f" * 64)
    assert standings(task).signature != before


def test_unreleased_gold_cannot_be_confirmed_by_the_signature(task: Task) -> None:
    open_signature = standings(task).signature
    task.blind = True
    blind_signature = standings(task).signature
    differing = set(open_signature.split("|")) - set(blind_signature.split("|"))
    assert [part.split(":")[0] for part in differing] == ["gold"]


def fill(task: Task, teams: int, sets: int) -> Run:
    """A task of many teams and test sets, whose last run has a file for each set; gives that run."""
    template = task.test_sets.get(code="en_two")
    for number in range(sets):
        template.pk, template.code = None, f"xx_{number}"
        template.save()
    run = None
    for number in range(teams):
        run = scored(task, f"Team {number:03}", number / 1000)
    assert run is not None
    RunFile.objects.bulk_create(
        RunFile(
            run=run, test_set=test_set, state="invalid", incidents=[INCIDENT], incident_counts={"cycle": 1}
        )
        for test_set in task.test_sets.all()
    )
    return run


INCIDENT = {
    "id": "cycle",
    "line": 3,
    "found": "1",
    "expected": "2",
    "title": "A cycle",
    "hint": "",
    "fatal": True,
}


@pytest.mark.parametrize(("teams", "sets"), [(2, 1), (40, 30)])
def test_the_number_of_queries_does_not_grow(
    client: Client,
    task: Task,
    member: User,
    django_assert_num_queries: Callable[[int], Any],
    teams: int,
    sets: int,
) -> None:
    run = fill(task, teams, sets)
    Membership.objects.create(user=member, team=run.team)
    expected = {
        "/": 5,
        "/tasks/tiny/": 2,
        "/tasks/tiny/leaderboard/": 4,
        run.get_absolute_url(): 2,
    }
    for url, number in expected.items():
        with django_assert_num_queries(number):
            assert client.get(url).status_code == 200
    client.force_login(member)
    signed_in = {
        "/tasks/tiny/": 5,
        "/tasks/tiny/upload/": 5,
        run.get_absolute_url(): 6,
        run.get_absolute_url() + "state/": 6,
    }
    for url, number in signed_in.items():
        with django_assert_num_queries(number):
            assert client.get(url).status_code == 200
