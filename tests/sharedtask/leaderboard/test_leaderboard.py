"""The leaderboard: ranks, which run counts, and a number of queries that does not grow."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client
from django.utils import timezone

from sharedtask.accounts.models import User
from sharedtask.competition.models import GoldVersion, Phase, Task, TestSet
from sharedtask.competition.store_files import store_gold
from sharedtask.core import clock
from sharedtask.leaderboard.board.build import Board, build_for_phase
from sharedtask.submissions.models import Run, RunFile, Score
from sharedtask.teams.models import Membership
from tests.sharedtask.support.standing import compare, give_score, scored
from tests.sharedtask.support.storing import store_raw_text

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_worker")]


def table(phase: Phase) -> Board:
    compare(phase)
    return build_for_phase(AnonymousUser(), phase, at=clock.database_now())


def test_equality_is_that_of_the_printed_figures(phase: Phase) -> None:
    for name, las in (("Ash", 0.800041), ("Birch", 0.800001), ("Cedar", 0.79990)):
        scored(phase, name, las)
    rows = table(phase).rows
    assert [(row.rank, row.name, row.score) for row in rows] == [
        (1, "Ash", "80.00"),
        (1, "Birch", "80.00"),
        (3, "Cedar", "79.99"),
    ]


def test_the_latest_scored_run_counts_even_if_an_earlier_one_was_better(phase: Phase) -> None:
    scored(phase, "Ash", 0.9)
    latest = scored(phase, "Ash", 0.6, minutes=1)
    later = scored(phase, "Ash", 0.99, minutes=2)
    Run.objects.filter(pk=later.pk).update(state="failed")
    assert [row.run for row in table(phase).rows] == [latest.public_id]


def test_runs_of_another_phase_do_not_count(phase: Phase, blind_task: Task) -> None:
    other = Phase.objects.create(
        task=phase.task, code="post", kind="post-evaluation", feedback="scores", opens_at=phase.opens_at
    )
    other.test_sets.set(phase.test_sets.all())
    scored(blind_task.phases.get(), "Ash", 0.9, minutes=5)
    scored(other, "Ash", 0.9, minutes=6)
    ours = scored(phase, "Ash", 0.5)
    assert [row.run for row in table(phase).rows] == [ours.public_id]


@pytest.mark.parametrize(("ranked", "ranks"), [(True, [1, 2, 3]), (False, [1, None, 2])])
def test_whether_a_baseline_takes_a_rank_is_the_tasks_choice(
    phase: Phase, ranked: bool, ranks: list[int | None]
) -> None:
    Task.objects.update(baselines_ranked=ranked)
    phase.task.refresh_from_db()
    scored(phase, "Ash", 0.9)
    scored(phase, "Base", 0.8, baseline=True)
    scored(phase, "Cedar", 0.7)
    assert [row.rank for row in table(phase).rows] == ranks


def test_a_file_without_a_score_counts_as_zero_and_is_told(phase: Phase) -> None:
    run = scored(phase, "Ash", 0.9)
    run.files.filter(test_set__code="en_two").update(state="invalid")
    Score.objects.filter(file__test_set__code="en_two").delete()
    row = table(phase).rows[0]
    assert (row.score, row.cells[-2:], row.not_scored) == ("45.00", ("90.00", "0.00"), 1)


def test_a_set_that_is_not_revealed_is_no_part_of_the_table(phase: Phase) -> None:
    scored(phase, "Ash", 0.9)
    phase.test_sets.filter(code="en_two").update(revealed_at=timezone.now() + timedelta(days=1))
    result = table(phase)
    assert (result.rows[0].score, result.rows[0].not_scored) == ("90.00", 0)
    assert "|sets:1-" in result.signature
    assert [column.head for column in result.columns if column.kind == "group"] == ["big"]


def test_a_withdrawn_run_gives_way_to_the_one_before(phase: Phase) -> None:
    first = scored(phase, "Ash", 0.9)
    scored(phase, "Ash", 0.6, minutes=1)
    Run.objects.exclude(pk=first.pk).update(status="withdrawn")
    assert [row.run for row in table(phase).rows] == [first.public_id]


def test_a_line_divides_what_differs_significantly_and_intervals_are_shown(phase: Phase) -> None:
    """Of forty sentences Ash is better in each; Birch and Cedar take turns."""
    for name, odd, even in (("Ash", 0.9, 0.8), ("Birch", 0.6, 0.5), ("Cedar", 0.5, 0.598)):
        run = scored(phase, name, 0)
        Score.objects.filter(file__run=run).delete()
        for file in run.files.all():
            give_score(file, [odd, even] * 20)
    rows = table(phase).rows
    assert [(row.name, row.line_below, row.rank_range) for row in rows] == [
        ("Ash", True, "1"),
        ("Birch", False, "2–3"),
        ("Cedar", False, "2–3"),
    ]
    assert float(rows[0].low) < 85.0 < float(rows[0].high)


def test_the_signature_changes_with_what_the_figures_depend_on(phase: Phase) -> None:
    scored(phase, "Ash", 0.9)
    before = table(phase).signature
    assert before == table(phase).signature
    assert "profile:conll17" in before
    test_set = phase.test_sets.get(code="en_two")
    store_gold(test_set, b"another gold file")
    give_score(RunFile.objects.select_related("test_set__gold_in_force").get(test_set=test_set), [0.9])
    assert table(phase).signature != before
    assert table(phase).gold_versions == "1, except en_two 2"


def test_unreleased_gold_cannot_be_confirmed_by_the_signature(phase: Phase, settings: Any) -> None:
    def gold() -> str:
        return next(part for part in table(phase).signature.split("|") if part.startswith("gold:"))

    scored(phase, "Ash", 0.9)
    plain = gold()
    GoldVersion.objects.update(released_at=None)
    keyed = gold()
    assert keyed.startswith("gold:hmac-")
    assert plain.removeprefix("gold:") not in keyed
    assert keyed == gold(), "two tables that agree still say so"
    settings.SECRET_KEY = "another server's"
    Task.objects.update(seed=7)
    phase.task.refresh_from_db()
    assert gold() != keyed


def fill(phase: Phase, teams: int, sets: int) -> Run:
    """A task of many teams and test sets, whose last run has a file for each set; gives that run."""
    for number in range(phase.test_sets.count(), phase.test_sets.count() + sets):
        added = TestSet.objects.create(task=phase.task, code=f"xx_{number}", groups=["big"])
        store_raw_text(added, "Birds sing loudly")
        phase.test_sets.add(added)
    run = None
    for test_set in phase.test_sets.filter(gold_in_force=None):
        store_gold(test_set, test_set.code.encode())
    for number in range(teams):
        run = scored(phase, f"Team {number:03}", number / 1000)
    assert run is not None
    Score.objects.filter(file__run=run).delete()
    run.files.update(state="invalid", incidents=[INCIDENT], incident_counts={"cycle": 1})
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


def test_the_number_of_queries_does_not_grow(
    client: Client, phase: Phase, member: User, django_assert_max_num_queries: Callable[[int], Any]
) -> None:
    Task.objects.update(replicates=20)
    phase.task.refresh_from_db()
    small = measured(client, fill(phase, 2, 1), phase, member, django_assert_max_num_queries)
    member.teams.clear()
    large = measured(client, fill(phase, 10, 5), phase, member, django_assert_max_num_queries)
    assert large == small
    assert small["leaderboard"] <= 7


def measured(
    client: Client, run: Run, phase: Phase, member: User, at_most: Callable[[int], Any]
) -> dict[str, int]:
    compare(phase)
    Membership.objects.create(user=member, team=run.team, task=phase.task)
    pages = {
        "home": "/",
        "task": "/tasks/tiny/",
        "leaderboard": "/tasks/tiny/leaderboard/",
        "run": run.get_absolute_url(),
    }
    signed_in = {
        "own task": "/tasks/tiny/",
        "upload": "/tasks/tiny/upload/",
        "own run": run.get_absolute_url(),
        "own state": run.get_absolute_url() + "state/",
    }
    values = {}
    for name, url in pages.items() | signed_in.items():
        if name in signed_in:
            client.force_login(member)
        else:
            client.logout()
        # The first visit may fill a cache or write a session; the second is like all others.
        assert client.get(url).status_code == 200, url
        with at_most(60) as queries:
            assert client.get(url).status_code == 200
        values[name] = len(queries)
    return values
