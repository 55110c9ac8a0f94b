"""The official run of a team: a table of cases, none of which depends on a score."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from sharedtask.accounts.models import User
from sharedtask.competition.models import AuditEntry, Phase, Task
from sharedtask.core.errors import Refusal
from sharedtask.submissions import mark_official, official
from sharedtask.submissions.models import Run
from sharedtask.submissions.official import ChosenBy
from sharedtask.submissions.withdraw import withdraw_run, withdraw_system
from sharedtask.teams.models import Extension, System, Team
from sharedtask.teams.register import register

pytestmark = pytest.mark.django_db
CLOSES = datetime(2026, 5, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
Make = Callable[..., Run]


@pytest.fixture
def test_phase(blind_task: Task) -> Phase:
    phase = blind_task.phases.select_related("task").get()
    phase.closes_at = CLOSES
    phase.save()
    return phase


@pytest.fixture
def make(blind_team: Team, test_phase: Phase) -> Make:
    """A run in the database, with the values of the case."""
    numbers = iter(range(1, 100))

    def make(**values: Any) -> Run:
        number = next(numbers)
        values.setdefault("received_at", CLOSES - 10 * HOUR + number * timedelta(minutes=1))
        values.setdefault("team", blind_team)
        values.setdefault("system", values["team"].primary_system)
        values.setdefault("state", Run.State.SCORED)
        values.setdefault("checked_at", values["received_at"])
        values.setdefault("phase", test_phase)
        return Run.objects.create(task=test_phase.task, number=number, filename="x", **values)

    return make


def chosen(phase: Phase, team: Team) -> tuple[int, ChosenBy] | None:
    selection = official.official_runs(phase).get(team.pk)
    return (selection.run.number, selection.chosen_by) if selection else None


MARKED = {"marked_official_at": CLOSES - HOUR}
CASES: dict[str, tuple[list[dict[str, Any]], tuple[int, ChosenBy] | None]] = {
    "nothing": ([], None),
    "the last received": ([{}, {}, {}], (3, ChosenBy.DEFAULT)),
    "by time of receipt, not by number": ([{"received_at": CLOSES - HOUR}, {}], (1, ChosenBy.DEFAULT)),
    "the team's mark before the clock": ([{}, MARKED, {}], (2, ChosenBy.TEAM)),
    "the organisers' mark before the team's": (
        [{"marked_by_organiser": True}, MARKED, {}],
        (1, ChosenBy.ORGANISERS),
    ),
    "a rejected run is not chosen": ([{}, {"status": "rejected"}], (1, ChosenBy.DEFAULT)),
    "a withdrawn run is not chosen, marked or not": (
        [{}, {"status": "withdrawn", **MARKED}],
        (1, ChosenBy.DEFAULT),
    ),
    "a mark of the organisers on a rejected run is void": (
        [{}, {"status": "rejected", "marked_by_organiser": True}],
        (1, ChosenBy.DEFAULT),
    ),
    "a refused archive is no run to rank": (
        [{}, {"state": "refused", "checked_at": None}],
        (1, ChosenBy.DEFAULT),
    ),
    "a check that we failed leaves nothing to rank": (
        [{}, {"state": "failed", "checked_at": None}],
        (1, ChosenBy.DEFAULT),
    ),
    "scoring that we failed does not unseat a run": ([{}, {"state": "failed"}], (2, ChosenBy.DEFAULT)),
    "a run still in the queue is the last received": (
        [{}, {"state": "received", "checked_at": None}],
        (2, ChosenBy.DEFAULT),
    ),
    "at closing itself it is too late": ([{}, {"received_at": CLOSES}], (1, ChosenBy.DEFAULT)),
    "a combined run is not chosen by the clock": ([{}, {"origin": "combined"}], (1, ChosenBy.DEFAULT)),
    "a combined run can be marked": (
        [{}, {"origin": "combined", "received_at": CLOSES + HOUR, "marked_by_organiser": True}],
        (2, ChosenBy.ORGANISERS),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_which_run_is_official(test_phase: Phase, blind_team: Team, make: Make, case: str) -> None:
    runs, expected = CASES[case]
    for values in runs:
        make(**values)
    assert chosen(test_phase, blind_team) == expected


def test_only_the_primary_system_is_official(test_phase: Phase, blind_team: Team, make: Make) -> None:
    other = System.objects.create(team=blind_team, name="other")
    make()
    make(system=other, marked_by_organiser=True)
    assert chosen(test_phase, blind_team) == (1, ChosenBy.DEFAULT)
    blind_team.systems.filter(name="main").update(is_primary=False)
    System.objects.filter(pk=other.pk).update(is_primary=True)
    assert chosen(test_phase, blind_team) == (2, ChosenBy.ORGANISERS)


def test_a_withdrawn_system_has_no_official_run(
    test_phase: Phase, blind_team: Team, make: Make, member: User
) -> None:
    make()
    withdraw_system(system=blind_team.primary_system, by=member, reason="a bug")
    assert chosen(test_phase, blind_team) is None
    assert AuditEntry.objects.get(action="withdraw-system").reason == "a bug"


def test_an_extension_for_one_team_applies_to_it_alone(
    test_phase: Phase, blind_team: Team, make: Make
) -> None:
    other = register(task=test_phase.task, name="Beech", confirmed=True)
    for team in (blind_team, other):
        make(team=team)
        make(team=team, received_at=CLOSES + HOUR)
    Extension.objects.create(phase=test_phase, team=other, closes_at=CLOSES + 2 * HOUR, reason="a flood")
    assert chosen(test_phase, blind_team) == (1, ChosenBy.DEFAULT)
    assert chosen(test_phase, other) == (4, ChosenBy.DEFAULT)


def test_no_other_phase_has_official_runs(test_phase: Phase, blind_team: Team, make: Make) -> None:
    make(marked_by_organiser=True)
    for kind in ("development", "trial", "post-evaluation"):
        Phase.objects.update(kind=kind)
        test_phase.refresh_from_db()
        assert official.official_runs(test_phase) == {}


def test_no_score_is_read(
    test_phase: Phase, make: Make, django_assert_num_queries: Callable[..., Any]
) -> None:
    for name in ("Beech", "Cedar", "Elm"):
        team = register(task=test_phase.task, name=name, confirmed=True)
        make(team=team)
        make(team=team)
    phase = Phase.objects.prefetch_related("extensions").get(pk=test_phase.pk)
    with django_assert_num_queries(1) as asked:
        assert len(official.official_runs(phase)) == 3
    assert "submissions_score" not in asked.captured_queries[0]["sql"]


def test_removing_the_organisers_mark_leaves_the_teams_mark(
    test_phase: Phase, blind_team: Team, make: Make, member: User
) -> None:
    first, second = make(), make()
    make()
    at = CLOSES - HOUR
    mark_official.mark_by_team(run=second, by=member, at=at)
    mark_official.mark_by_organiser(run=first, by=member, reason="they asked by mail", at=at)
    assert chosen(test_phase, blind_team) == (1, ChosenBy.ORGANISERS)
    mark_official.unmark_by_organiser(run=first, by=member, reason="they changed their mind", at=at)
    assert chosen(test_phase, blind_team) == (2, ChosenBy.TEAM)
    mark_official.unmark_by_team(run=second, by=member, at=at)
    assert chosen(test_phase, blind_team) == (3, ChosenBy.DEFAULT)
    actions = list(AuditEntry.objects.order_by("pk").values_list("action", flat=True))
    assert actions[-4:] == [
        "mark-official",
        "mark-official-by-organiser",
        "unmark-official-by-organiser",
        "unmark-official",
    ]


def test_a_team_marks_one_run_at_a_time(test_phase: Phase, make: Make, member: User) -> None:
    runs = [make(), make()]
    for run in runs:
        mark_official.mark_by_team(run=run, by=member, at=CLOSES - HOUR)
    assert list(Run.objects.exclude(marked_official_at=None).values_list("number", flat=True)) == [2]


def test_a_team_may_choose_after_closing_but_not_after_the_results(
    test_phase: Phase, blind_team: Team, make: Make, member: User
) -> None:
    run = make()
    make()
    mark_official.mark_by_team(run=run, by=member, at=CLOSES + HOUR)
    assert chosen(test_phase, blind_team) == (1, ChosenBy.TEAM)
    run.phase.task.results_published_at = CLOSES + 2 * HOUR
    for act in (mark_official.mark_by_team, mark_official.unmark_by_team):
        with pytest.raises(Refusal, match="Results have been published"):
            act(run=run, by=member, at=CLOSES + 3 * HOUR)


@pytest.mark.parametrize("values", [{"status": "rejected"}, {"status": "withdrawn"}, {"state": "refused"}])
def test_a_run_that_does_not_count_cannot_be_marked(make: Make, member: User, values: dict[str, Any]) -> None:
    run = make(**values)
    with pytest.raises(Refusal, match="cannot be official"):
        mark_official.mark_by_team(run=run, by=member, at=CLOSES - HOUR)
    with pytest.raises(Refusal, match="cannot be official"):
        mark_official.mark_by_organiser(run=run, by=member, reason="x", at=CLOSES - HOUR)


def test_withdrawing_twice_is_refused(make: Make, member: User) -> None:
    run = make()
    with pytest.raises(Refusal, match="too long"):
        withdraw_run(run=run, by=member, reason="x" * 2001)
    withdraw_run(run=run, by=member, reason=" wrong\0 model")
    run.refresh_from_db()
    assert (run.status, run.status_reason) == ("withdrawn", "wrong model")
    with pytest.raises(Refusal, match="already been withdrawn"):
        withdraw_run(run=run, by=member)


def test_a_member_marks_and_withdraws_on_the_page_and_nobody_else_does(
    client: Client, make: Make, member: User, test_phase: Phase, blind_team: Team
) -> None:
    Phase.objects.update(closes_at=None)
    first, second = make(), make()
    rival = User.objects.create_user("rival")
    register(task=test_phase.task, name="Beech", members=[rival], confirmed=True)
    for person, status in ((rival, 404), (member, 302)):
        client.force_login(person)
        response = client.post(first.get_absolute_url() + "mark-official/")
        assert response.status_code == status
    assert chosen(test_phase, blind_team) == (1, ChosenBy.TEAM)
    page = client.get(first.get_absolute_url()).content.decode()
    assert "Unmark" in page
    assert "marked by the team" in page
    assert client.get(first.get_absolute_url() + "withdraw/").status_code == 405
    client.post(first.get_absolute_url() + "withdraw/", {"reason": "a wrong model"})
    page = client.get(first.get_absolute_url()).content.decode()
    assert "This run was withdrawn." in page
    assert "a wrong model" in page
    assert chosen(test_phase, blind_team) == (2, ChosenBy.DEFAULT)
    assert second.status == "counts"


def test_a_member_withdraws_a_system_on_its_page_and_nobody_else_does(
    client: Client, member: User, test_phase: Phase, blind_team: Team
) -> None:
    rival = User.objects.create_user("rival")
    register(task=test_phase.task, name="Beech", members=[rival], confirmed=True)
    address = f"/tasks/blind/systems/{blind_team.primary_system.public_id}/"
    for person, status in ((rival, 404), (member, 302)):
        client.force_login(person)
        assert client.post(f"{address}withdraw/", {"reason": "a bug"}).status_code == status
    assert blind_team.primary_system.withdrawn_at is not None
    assert "This system was withdrawn." in client.get(address).content.decode()
