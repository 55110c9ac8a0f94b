"""The ranking `best`: one run a team, chosen by score, and only where there is something to choose."""

from __future__ import annotations

import pytest

from sharedtask.competition.models import Phase, Task
from sharedtask.core import clock
from sharedtask.standings.inputs import gather
from sharedtask.standings.models import Standing
from sharedtask.submissions.models import Run, Score
from sharedtask.teams.models import System
from tests.sharedtask.support.standing import compare, scored

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_worker", "dispatched")]


@pytest.fixture
def test_phase(blind_task: Task) -> Phase:
    return blind_task.phases.select_related("task").get()


@pytest.fixture
def post(test_phase: Phase) -> Phase:
    phase = Phase.objects.create(
        task=test_phase.task,
        code="post",
        kind="post-evaluation",
        feedback="validity",
        opens_at=test_phase.opens_at,
    )
    phase.test_sets.set(test_phase.test_sets.all())
    return phase


def best(phase: Phase) -> set[str]:
    inputs = gather(phase, Standing.Ranking.BEST, at=clock.database_now())
    return {entry.run.public_id for entry in inputs.entries}


def test_the_run_with_the_highest_average_is_chosen_from_any_phase(test_phase: Phase, post: Phase) -> None:
    ash = scored(test_phase, "Ash", 0.7)
    second = System.objects.create(team=ash.team, name="ash-large", is_primary=False)
    better = scored(test_phase, "Ash", 0.95, system=second)
    scored(post, "Ash", 0.8)
    scored(test_phase, "Birch", 0.6)
    late = scored(post, "Birch", 0.65)
    assert best(test_phase) == {better.public_id, late.public_id}


def test_of_equal_runs_the_first_received_is_taken(test_phase: Phase) -> None:
    second = scored(test_phase, "Ash", 0.7, minutes=1)
    first = scored(test_phase, "Ash", 0.7)
    assert best(test_phase) == {first.public_id} != {second.public_id}


def test_there_is_no_best_ranking_if_no_team_has_two_runs(test_phase: Phase) -> None:
    scored(test_phase, "Ash", 0.7)
    scored(test_phase, "Birch", 0.6)
    assert "best" not in compare(test_phase)
    scored(test_phase, "Birch", 0.5, minutes=1)
    assert "best" in compare(test_phase)


def test_withdrawn_rejected_and_broken_runs_are_no_candidates(test_phase: Phase) -> None:
    remaining = scored(test_phase, "Ash", 0.5)
    also = scored(test_phase, "Ash", 0.4, minutes=1)
    for number, change in enumerate(({"status": "withdrawn"}, {"status": "rejected"}, {"state": "failed"})):
        run = scored(test_phase, "Ash", 0.9, minutes=2 + number)
        Run.objects.filter(pk=run.pk).update(**change)
    assert also and best(test_phase) == {remaining.public_id}


def test_a_missing_file_counts_as_the_task_says(test_phase: Phase) -> None:
    whole = scored(test_phase, "Ash", 0.6)
    half = scored(test_phase, "Ash", 0.9, minutes=1)
    half.files.filter(test_set__code="en_two").update(state="missing")
    Score.objects.filter(file__run=half, file__test_set__code="en_two").delete()
    assert best(test_phase) == {whole.public_id}
    Task.objects.update(missing_policy="exclude")
    test_phase.task.refresh_from_db()
    assert best(test_phase) == {half.public_id}


def test_it_waits_for_every_run_that_could_be_the_best(test_phase: Phase, post: Phase) -> None:
    scored(test_phase, "Ash", 0.6)
    scored(test_phase, "Ash", 0.7, minutes=1)
    waiting = scored(post, "Ash", 0.9)
    Score.objects.filter(file__run=waiting).update(state="waiting")
    assert gather(test_phase, Standing.Ranking.BEST, at=clock.database_now()).under_way == [waiting.public_id]
    assert "best" not in compare(test_phase) and "official" in compare(test_phase)


def test_a_phase_with_scores_includes_no_runs_of_a_blind_phase(test_phase: Phase, post: Phase) -> None:
    Phase.objects.filter(pk=test_phase.pk).update(feedback="scores")
    test_phase.refresh_from_db()
    scored(test_phase, "Ash", 0.5)
    result = scored(test_phase, "Ash", 0.6, minutes=1)
    blind = scored(post, "Ash", 0.9)
    assert best(test_phase) == {result.public_id}
    Phase.objects.filter(pk=post.pk).update(feedback="scores")
    assert best(test_phase) == {blind.public_id}
