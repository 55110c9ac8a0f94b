"""The leaderboard: ranks, which run counts, and a number of queries that does not grow."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from sharedtask import clock
from sharedtask.competition import keep_files
from sharedtask.competition.keep_files import keep_gold, keep_raw_text
from sharedtask.competition.models import GoldVersion, Phase, Task, TestSet
from sharedtask.leaderboard.standings import Standings, ranks_of, standings
from sharedtask.submissions.models import Run, RunFile, Score
from sharedtask.teams.models import Membership, Team
from sharedtask.teams.register import register

pytestmark = pytest.mark.django_db


WHOLE = 1_000_000


def scored(phase: Phase, name: str, las: float, *, baseline: bool = False, minutes: int = 0) -> Run:
    """A run that was scored with this LAS on every test set of the phase, and 0.5 on all other metrics."""
    task = phase.task
    team = Team.objects.filter(task=task, name=name).first()
    team = team or register(task=task, name=name, is_baseline=baseline)
    run = Run.objects.create(
        task=task,
        phase=phase,
        team=team,
        system=team.primary_system,
        number=team.runs.count() + 1,
        filename="run.zip",
        archive="uploads/none",
        sha256="0" * 64,
        state="scored",
        received_at=timezone.now() + timedelta(minutes=minutes),
    )
    for test_set in phase.test_sets.all():
        file = RunFile.objects.create(run=run, test_set=test_set, state="valid")
        give_score(file, las)
    return run


def give_score(file: RunFile, las: float) -> None:
    figures = dict.fromkeys(("CLAS", "Tokens", "Words", "Sentences"), 0.5) | {"LAS": las}
    counts = {
        name: {"gold": WHOLE, "system": WHOLE, "correct": round(figure * WHOLE), "aligned": WHOLE}
        for name, figure in figures.items()
    }
    Score.objects.create(file=file, gold=file.test_set.gold_in_force, state="scored", counts=counts)


def table(phase: Phase) -> Standings:
    return standings(phase, at=clock.database_now())


def test_ranks_are_shared_where_the_printed_figures_are_equal() -> None:
    assert ranks_of(["90.00", "80.00", "80.00", "70.00"]) == [1, 2, 2, 4]


def test_equality_is_that_of_the_printed_figures(phase: Phase) -> None:
    for name, las in (("Ash", 0.800041), ("Birch", 0.800001), ("Cedar", 0.79990)):
        scored(phase, name, las)
    rows = table(phase).rows
    assert [(row.rank, row.run.team.name, row.scores[0]) for row in rows] == [
        (1, "Ash", "80.00"),
        (1, "Birch", "80.00"),
        (3, "Cedar", "79.99"),
    ]


def test_the_latest_scored_run_counts_even_if_an_earlier_one_was_better(phase: Phase) -> None:
    scored(phase, "Ash", 0.9)
    latest = scored(phase, "Ash", 0.6, minutes=1)
    later = scored(phase, "Ash", 0.99, minutes=2)
    Run.objects.filter(pk=later.pk).update(state="failed")
    assert [row.run for row in table(phase).rows] == [latest]


def test_runs_of_another_phase_do_not_count(phase: Phase, blind_task: Task) -> None:
    other = Phase.objects.create(
        task=phase.task, code="post", kind="post-evaluation", feedback="scores", opens_at=phase.opens_at
    )
    other.test_sets.set(phase.test_sets.all())
    scored(blind_task.phases.get(), "Ash", 0.9, minutes=5)
    scored(other, "Ash", 0.9, minutes=6)
    ours = scored(phase, "Ash", 0.5)
    assert [row.run for row in table(phase).rows] == [ours]


@pytest.mark.parametrize(("ranked", "ranks"), [(True, [1, 2, 3]), (False, [1, None, 2])])
def test_whether_a_baseline_takes_a_rank_is_the_tasks_choice(
    phase: Phase, ranked: bool, ranks: list[int | None]
) -> None:
    phase.task.baselines_ranked = ranked
    scored(phase, "Ash", 0.9)
    scored(phase, "Base", 0.8, baseline=True)
    scored(phase, "Cedar", 0.7)
    assert [row.rank for row in table(phase).rows] == ranks


def test_a_group_without_test_sets_is_printed_as_a_dash(phase: Phase) -> None:
    phase.task.groups = ["big", "surprise"]
    scored(phase, "Ash", 0.9)
    assert table(phase).rows[0].groups == ("90.00", "–")


def test_a_file_without_a_score_counts_as_zero_and_is_told(phase: Phase) -> None:
    run = scored(phase, "Ash", 0.9)
    run.files.filter(test_set__code="en_two").update(state="invalid")
    Score.objects.filter(file__test_set__code="en_two").delete()
    row = table(phase).rows[0]
    assert (row.scores[0], row.groups, row.not_scored) == ("45.00", ("90.00", "0.00"), 1)


def test_a_set_that_is_not_revealed_is_no_part_of_the_table(phase: Phase) -> None:
    scored(phase, "Ash", 0.9)
    phase.test_sets.filter(code="en_two").update(revealed_at=timezone.now() + timedelta(days=1))
    found = table(phase)
    assert (found.rows[0].scores[0], found.rows[0].not_scored) == ("90.00", 0)
    assert "|sets:1." in found.signature


def test_a_withdrawn_run_gives_way_to_the_one_before(phase: Phase) -> None:
    first = scored(phase, "Ash", 0.9)
    scored(phase, "Ash", 0.6, minutes=1)
    Run.objects.exclude(pk=first.pk).update(fate="withdrawn")
    assert [row.run for row in table(phase).rows] == [first]


def test_the_signature_changes_with_what_the_figures_depend_on(phase: Phase) -> None:
    before = table(phase).signature
    assert before == table(phase).signature
    assert "profile:conll17" in before
    keep_gold(phase.test_sets.get(code="en_two"), b"another gold file")
    assert table(phase).signature != before


def test_unreleased_gold_cannot_be_confirmed_by_the_signature(phase: Phase, settings: Any) -> None:
    def gold() -> str:
        return next(part for part in table(phase).signature.split("|") if part.startswith("gold:"))

    hashes = sorted(phase.test_sets.values_list("gold_in_force__sha256", flat=True))
    assert gold() == "gold:" + hashlib.sha256("\n".join(hashes).encode()).hexdigest()[:8]
    GoldVersion.objects.update(released_at=None)
    keyed = gold()
    assert keyed != "gold:" + hashlib.sha256("\n".join(hashes).encode()).hexdigest()[:8]
    assert keyed == gold(), "two tables that agree still say so"
    settings.SECRET_KEY = "another server's"
    assert keep_files.keyed_hash(hashes[0]) not in GoldVersion.objects.values_list("keyed_hash", flat=True)


def fill(phase: Phase, teams: int, sets: int) -> Run:
    """A task of many teams and test sets, whose last run has a file for each set; gives that run."""
    for number in range(sets):
        added = TestSet.objects.create(task=phase.task, code=f"xx_{number}", groups=["big"])
        keep_raw_text(added, "Birds sing loudly")
        phase.test_sets.add(added)
    run = None
    for test_set in phase.test_sets.filter(gold_in_force=None):
        keep_gold(test_set, test_set.code.encode())
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


@pytest.mark.parametrize(("teams", "sets"), [(2, 1), (40, 30)])
def test_the_number_of_queries_does_not_grow(
    client: Client,
    phase: Phase,
    member: User,
    django_assert_num_queries: Callable[[int], Any],
    teams: int,
    sets: int,
) -> None:
    run = fill(phase, teams, sets)
    Membership.objects.create(user=member, team=run.team, task=phase.task)
    expected = {
        "/": 7,
        "/tasks/tiny/": 7,
        "/tasks/tiny/leaderboard/": 7,
        run.get_absolute_url(): 4,
    }
    for url, number in expected.items():
        with django_assert_num_queries(number):
            assert client.get(url).status_code == 200
    client.force_login(member)
    signed_in = {
        "/tasks/tiny/": 12,
        "/tasks/tiny/upload/": 8,
        run.get_absolute_url(): 8,
        run.get_absolute_url() + "state/": 7,
    }
    for url, number in signed_in.items():
        with django_assert_num_queries(number):
            assert client.get(url).status_code == 200
