"""A test set that counts only since some runs have arrived: they are counted again with it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client

from sharedtask.accounts.models import User
from sharedtask.competition.models import Phase, StandingRequest, Task, TestSet
from sharedtask.core import clock
from sharedtask.operations.sweep import sweep
from sharedtask.overview.attention import attention, next_step
from sharedtask.overview.dashboard import build_dashboard
from sharedtask.standings.inputs import gather
from sharedtask.submissions.models import Run
from sharedtask.submissions.recount import recount_runs
from sharedtask.teams.models import Notice, Team
from tests.sharedtask.support.building import good_archive
from tests.sharedtask.support.people import person

Upload = Callable[..., Run]
HOUR = timedelta(hours=1)
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def early_run(upload: Upload, task: Task, work: Callable[[], None]) -> Run:
    """A perfect run, received and scored an hour before the second test set is revealed."""
    TestSet.objects.filter(code="en_two").update(revealed_at=clock.database_now() + HOUR)
    run = upload(good_archive(en_two=""))
    work()
    return run


def reveal() -> None:
    """The clock reaches the time of the reveal: in this test, run and phase become an hour older."""
    now = clock.database_now()
    TestSet.objects.filter(code="en_two").update(revealed_at=now)
    Run.objects.update(received_at=now - HOUR)


@pytest.mark.parametrize("before_arrival", [timedelta(0), HOUR, None], ids=["at", "before", "always"])
def test_a_release_entered_for_a_time_before_the_arrival_is_counted(
    early_run: Run, before_arrival: timedelta | None
) -> None:
    released_at = None if before_arrival is None else early_run.received_at - before_arrival
    TestSet.objects.filter(code="en_two").update(revealed_at=released_at)
    now = clock.database_now()
    assert [test_set.code for test_set in gather(early_run.phase, "open", at=now).test_sets] == [
        "de_one",
        "en_two",
    ]
    assert recount_runs(at=now) == 1
    assert early_run.files.get(test_set__code="en_two").state == "missing"
    assert StandingRequest.objects.filter(phase=early_run.phase).exists()


def test_a_test_set_added_to_the_phase_later_is_counted(
    upload: Upload, phase: Phase, member: User, task: Task, team: Team, work: Callable[[], None]
) -> None:
    added = phase.test_sets.get(code="en_two")
    phase.test_sets.remove(added)
    run = upload(good_archive(en_two=""))
    work()
    assert run.files.count() == 1
    phase.test_sets.add(added)
    assert recount_runs(at=clock.database_now()) == 1
    assert run.files.get(test_set=added).state == "missing"
    assert Notice.objects.filter(user=member, event__startswith="recounted:").count() == 1
    step = next_step(build_dashboard(member, task, team, at=clock.database_now())).sentence
    assert step.startswith("1 test set was not expected yet")


def average_on_page(client: Client, run: Run) -> str:
    return client.get(run.get_absolute_url()).content.decode()


def test_the_page_of_the_run_and_the_board_agree_after_the_reveal(
    client: Client, member: User, early_run: Run, work: Callable[[], None]
) -> None:
    client.force_login(member)
    before = average_on_page(client, early_run)
    assert "1 of 1 files" in before
    assert "100.00" in before
    reveal()
    assert recount_runs(at=clock.database_now()) == 1
    after = average_on_page(client, early_run)
    assert "1 of 2 files" in after
    assert "50.00" in after
    assert StandingRequest.objects.filter(phase=early_run.phase).exists()
    work()
    assert "50.00" in client.get("/tasks/tiny/leaderboard/").content.decode()


def test_the_sweep_recounts_once(early_run: Run) -> None:
    at = clock.database_now()
    assert recount_runs(at=at) == 0, "not revealed yet"
    reveal()
    sweep(strays=False)
    assert early_run.files.get(test_set__code="en_two").state == "missing"
    assert recount_runs(at=clock.database_now()) == 0


def test_a_run_that_arrives_later_is_not_recounted(
    early_run: Run, upload: Upload, work: Callable[[], None]
) -> None:
    reveal()
    later = upload(good_archive())
    work()
    assert recount_runs(at=clock.database_now()) == 1
    assert not Notice.objects.filter(text__contains=f"run {later.number} ").filter(kind="surprise").exists()


def test_the_team_and_the_organisers_are_warned_once(early_run: Run, task: Task, member: User) -> None:
    organiser = person("hazel")
    task.organisers.add(organiser)
    reveal()
    for _ in range(2):
        recount_runs(at=clock.database_now())
    to_team = Notice.objects.get(user=member, event__startswith="recounted:")
    assert to_team.text == (
        "en_two was not expected yet when run 1 of Alder arrived, and is missing from it. "
        "You can amend the run while Open phase is open."
    )
    to_organisers = Notice.objects.get(user=organiser, event__startswith="recounted:")
    assert to_organisers.text == (
        "Open phase: en_two was not expected yet when 1 run of 1 team arrived, and is missing from it. "
        "The team was notified."
    )


def test_the_team_page_no_longer_says_that_everything_is_done(
    early_run: Run, task: Task, team: Team, member: User
) -> None:
    def step() -> str:
        board = build_dashboard(member, task, team, at=clock.database_now())
        assert next_step(board) not in attention(board, at=clock.database_now())[1:]
        return next_step(board).sentence

    assert step().startswith("All done.")
    reveal()
    recount_runs(at=clock.database_now())
    assert step() == (
        "1 test set was not expected yet when run 1 arrived, and is missing from it. Amend the run."
    )


def test_a_revealed_set_counts_in_standings_only_when_its_input_is_released(early_run: Run) -> None:
    now = clock.database_now()
    TestSet.objects.filter(code="en_two").update(revealed_at=now - HOUR, inputs_released_at=now + HOUR)
    assert [test_set.code for test_set in gather(early_run.phase, "open", at=now).test_sets] == ["de_one"]
    assert recount_runs(at=now) == 0


def test_a_release_that_is_moved_later_is_no_longer_counted(
    client: Client, member: User, early_run: Run, task: Task, team: Team
) -> None:
    """No run has the file, so that the release may be moved: the set is expected of nobody any more."""
    client.force_login(member)
    reveal()
    recount_runs(at=clock.database_now())
    assert "1 of 2 files" in average_on_page(client, early_run)
    StandingRequest.objects.all().delete()
    TestSet.objects.filter(code="en_two").update(revealed_at=clock.database_now() + HOUR)
    assert recount_runs(at=clock.database_now()) == 1
    assert "1 of 1 files" in average_on_page(client, early_run)
    assert StandingRequest.objects.filter(phase=early_run.phase).exists()
    assert recount_runs(at=clock.database_now()) == 0
    assert next_step(build_dashboard(member, task, team, at=clock.database_now())).sentence.startswith(
        "All done"
    )
    reveal()
    assert recount_runs(at=clock.database_now()) == 1
    assert "1 of 2 files" in average_on_page(client, early_run)


def test_the_calendar_warns_of_a_phase_that_opens_before_a_release(
    client: Client, task: Task, phase: Phase
) -> None:
    organiser = person("hazel")
    task.organisers.add(organiser)
    client.force_login(organiser)
    pages = ("/tasks/tiny/organise/calendar/", "/tasks/tiny/organise/")
    for path in pages:
        assert "after this phase opens" not in client.get(path).content.decode()
    TestSet.objects.filter(code="en_two").update(revealed_at=clock.database_now() + HOUR)
    for path in pages:
        page = " ".join(client.get(path).content.decode().split())
        assert "en_two is released after Open phase opens" in page
    phase.closes_at = clock.database_now() + HOUR / 2
    phase.save()
    page = " ".join(client.get(pages[0]).content.decode().split())
    assert "en_two is released after Open phase closes, so no team can submit it" in page
