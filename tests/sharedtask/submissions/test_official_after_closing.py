"""After a test phase has closed, a team can give up its rank, but cannot choose another run.

Scores may be known by then. Only an organiser can make another run official, with a recorded reason.
"""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client
from django.utils import timezone

from sharedtask.accounts.models import User
from sharedtask.competition.models import AuditEntry, GoldVersion, Phase, Task
from sharedtask.competition.release_gold import release_gold
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.leaderboard.board.build import build_for_phase
from sharedtask.standings.publish import publish_results
from sharedtask.submissions import mark_official, official, reject
from sharedtask.submissions.models import Run
from sharedtask.submissions.withdraw import withdraw_run, withdraw_system
from sharedtask.teams.delete_account import delete_account
from sharedtask.teams.models import System, Team
from tests.sharedtask.support.standing import compare, scored

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("as_worker", "dispatched")]
MINUTE = timedelta(minutes=1)


@pytest.fixture
def organiser(blind_task: Task) -> User:
    user = User.objects.create_user("organiser")
    blind_task.organisers.add(user)
    return user


@pytest.fixture
def closed(blind_task: Task) -> Phase:
    """A test that closed half an hour ago; `scored` makes runs of an hour ago."""
    blind_task.phases.update(closes_at=clock.database_now() - 30 * MINUTE)
    return blind_task.phases.select_related("task").get()


@pytest.fixture
def runs(closed: Phase, blind_team: Team) -> list[Run]:
    """A good run and, received later and therefore official, a bad one."""
    return [scored(closed, "Alder", 0.82), scored(closed, "Alder", 0.22, minutes=1)]


def chosen(phase: Phase, team: str = "Alder") -> int | None:
    """The number of the team's official run."""
    phase = Phase.objects.select_related("task").get(pk=phase.pk)
    return next(
        (
            selection.run.number
            for selection in official.official_runs(phase).values()
            if selection.run.team.name == team
        ),
        None,
    )


def board(
    phase: Phase, viewer: User | AnonymousUser, ranking: str = "official"
) -> list[tuple[str, int | None, str]]:
    phase = Phase.objects.select_related("task").get(pk=phase.pk)
    rows = build_for_phase(viewer, phase, at=clock.database_now(), ranking=ranking).rows
    return [(row.name, row.rank, row.score) for row in rows]


def test_withdrawing_after_publication_leaves_the_team_unranked_in_the_next_one(
    closed: Phase, runs: list[Run], member: User, organiser: User
) -> None:
    scored(closed, "Birch", 0.5)
    compare(closed)
    publish_results(task=closed.task, by=organiser, reason="first")
    assert board(closed, AnonymousUser()) == [("Birch", 1, "50.00"), ("Alder", 2, "22.00")]
    withdraw_run(run=runs[1], by=member, reason="a wrong model")
    compare(closed)
    publish_results(task=closed.task, by=organiser, reason="second")
    assert board(closed, AnonymousUser()) == [("Birch", 1, "50.00"), ("Alder", None, "22.00")]
    assert AuditEntry.objects.get(action="withdraw-run").details["leaves_unranked"] is True


def test_an_organiser_restores_the_run_or_chooses_another(
    closed: Phase, runs: list[Run], member: User, organiser: User
) -> None:
    withdraw_run(run=runs[1], by=member)
    assert chosen(closed) is None
    reject.restore(run=runs[1], by=organiser, reason="They withdrew the wrong one.")
    assert chosen(closed) == 2
    withdraw_run(run=runs[1], by=member)
    mark_official.mark_by_organiser(run=runs[0], by=organiser, reason="We sent a wrong file.")
    assert chosen(closed) == 1
    mark_official.unmark_by_organiser(run=runs[0], by=organiser, reason="No, it was theirs.")
    assert chosen(closed) is None


def test_before_closing_another_run_takes_the_place_of_a_withdrawn_one(
    closed: Phase, runs: list[Run], member: User
) -> None:
    Phase.objects.update(closes_at=clock.database_now() + MINUTE)
    withdraw_run(run=Run.objects.get(pk=runs[1].pk), by=member)
    assert chosen(closed) == 1
    Phase.objects.update(closes_at=clock.database_now())
    assert chosen(closed) == 1, "a choice that was made in time holds afterwards"
    withdraw_run(run=Run.objects.get(pk=runs[0].pk), by=member)
    assert chosen(closed) is None


def test_an_extension_of_the_team_is_its_closing_time(closed: Phase, runs: list[Run], member: User) -> None:
    closed.extensions.create(
        team=runs[0].team, closes_at=clock.database_now() + MINUTE, reason="A power cut."
    )
    withdraw_run(run=runs[1], by=member)
    assert chosen(closed) == 1
    scored(closed, "Birch", 0.5)
    other = scored(closed, "Birch", 0.4, minutes=1)
    withdraw_run(run=other, by=member)
    assert chosen(closed, "Birch") is None


def test_a_run_that_is_not_official_can_be_withdrawn_without_harm(
    closed: Phase, runs: list[Run], member: User
) -> None:
    withdraw_run(run=runs[0], by=member)
    assert chosen(closed) == 2
    assert "leaves_unranked" not in AuditEntry.objects.get(action="withdraw-run").details


def test_withdrawing_after_closing_does_not_make_another_run_official(
    closed: Phase, runs: list[Run], member: User, organiser: User
) -> None:
    """When the organisers remove their mark, the withdrawn run is selected again."""
    third = scored(closed, "Alder", 0.5, minutes=-1)
    mark_official.mark_by_organiser(run=third, by=organiser, reason="asked for")
    withdraw_run(run=runs[1], by=member)
    assert chosen(closed) == third.number
    mark_official.unmark_by_organiser(run=third, by=organiser, reason="asked for")
    assert chosen(closed) is None


@pytest.mark.parametrize("marked_by", ["team", "organisers"])
def test_a_marked_run_leaves_the_same_gap(
    closed: Phase, runs: list[Run], member: User, organiser: User, marked_by: str
) -> None:
    if marked_by == "team":
        mark_official.mark_by_team(run=runs[0], by=member)
    else:
        mark_official.mark_by_organiser(run=runs[0], by=organiser, reason="asked for")
    assert chosen(closed) == 1
    withdraw_run(run=Run.objects.get(pk=runs[0].pk), by=member)
    assert chosen(closed) is None


def test_the_gap_is_not_filled_by_a_mark_of_the_team(closed: Phase, runs: list[Run], member: User) -> None:
    """Not even before publication, when a mark would otherwise be allowed."""
    mark_official.mark_by_team(run=runs[1], by=member)
    withdraw_run(run=runs[1], by=member)
    for act, run in ((mark_official.mark_by_team, runs[0]), (mark_official.unmark_by_team, runs[1])):
        with pytest.raises(Refusal, match="Only the organisers"):
            act(run=Run.objects.get(pk=run.pk), by=member)
    assert chosen(closed) is None


def test_organisers_who_withdraw_for_a_team_leave_the_same_gap(
    closed: Phase, runs: list[Run], organiser: User
) -> None:
    reject.withdraw_for_team(run=runs[1], by=organiser, reason="They asked by mail.")
    assert chosen(closed) is None
    reject.reject(run=runs[1], by=organiser, reason="And it was against the rules.")
    assert chosen(closed) is None


def test_members_who_delete_their_accounts_change_nothing(
    closed: Phase, runs: list[Run], member: User
) -> None:
    delete_account(user=member, at=clock.database_now())
    assert chosen(closed) == 2


def test_after_a_recorded_rejection_another_run_becomes_official(
    closed: Phase, runs: list[Run], organiser: User
) -> None:
    reject.reject(run=runs[1], by=organiser, reason="Forbidden data.")
    assert chosen(closed) == 1
    assert AuditEntry.objects.get(action="reject-run").reason == "Forbidden data."


def test_withdrawing_the_system_leaves_the_same_gap(closed: Phase, runs: list[Run], member: User) -> None:
    withdraw_system(system=runs[0].system, by=member)
    assert chosen(closed) is None
    compare(closed)
    assert [
        row.rank for row in build_for_phase(member, closed, at=clock.database_now()).rows if row.rank
    ] == []


def test_a_run_that_arrived_in_time_but_was_recorded_later_is_the_last_received(
    closed: Phase, runs: list[Run], member: User
) -> None:
    """It was being uploaded while its team withdrew the previous run."""
    withdraw_run(run=runs[1], by=member)
    late = scored(closed, "Alder", 0.3, minutes=2)
    assert chosen(closed) == late.number


def test_the_unofficial_ranking_of_a_test_leaves_the_gap_as_well(
    closed: Phase, runs: list[Run], member: User, organiser: User
) -> None:
    second = System.objects.create(team=runs[0].team, name="other")
    scored(closed, "Alder", 0.9, system=second)
    last = scored(closed, "Alder", 0.3, system=second, minutes=1)
    compare(closed)
    assert board(closed, organiser, "unofficial") == [("Alder (other)", 1, "30.00")]
    withdraw_run(run=last, by=member)
    compare(closed)
    assert board(closed, organiser, "unofficial") == [("Alder (other)", None, "30.00")]
    Run.objects.filter(pk=last.pk).update(withdrawn_after_closing=False)
    compare(closed)
    assert board(closed, organiser, "unofficial") == [("Alder (other)", 1, "90.00")]


def test_post_evaluation_ranks_the_last_run_that_was_not_withdrawn(
    closed: Phase, member: User, organiser: User
) -> None:
    Phase.objects.update(kind="post-evaluation", feedback="scores")
    phase = Phase.objects.select_related("task").get()
    scored(phase, "Alder", 0.9)
    withdraw_run(run=scored(phase, "Alder", 0.3, minutes=1), by=member)
    compare(phase)
    assert board(phase, AnonymousUser(), "unofficial") == [("Alder", 1, "90.00")]


def test_a_mark_after_closing_is_refused_when_scores_show_on_the_same_sets(
    closed: Phase, runs: list[Run], member: User
) -> None:
    """A post-evaluation phase reveals a team's scores before the results are published."""
    later = Phase.objects.create(
        task=closed.task,
        code="after",
        kind="post-evaluation",
        title="After the test",
        feedback="scores",
        opens_at=timezone.now() + MINUTE,
    )
    later.test_sets.set(closed.test_sets.all())
    mark_official.mark_by_team(run=runs[0], by=member)
    with pytest.raises(Refusal, match="can no longer be changed"):
        mark_official.unmark_by_team(run=runs[0], by=member, at=later.opens_at)
    assert chosen(closed) == 1


def test_a_mark_after_closing_is_refused_when_gold_is_released(
    closed: Phase, runs: list[Run], member: User, organiser: User
) -> None:
    release_gold(task=closed.task, by=organiser, reason="It is over.")
    with pytest.raises(Refusal, match="can no longer be changed"):
        mark_official.mark_by_team(run=runs[0], by=member)
    # Gold that was public from the beginning reveals nothing new.
    for version in GoldVersion.objects.all():
        GoldVersion.objects.filter(pk=version.pk).update(released_at=version.created_at)
    mark_official.mark_by_team(run=runs[0], by=member)


def text_of(page: bytes) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.decode()))


WARNING = "your team will have no ranked run"


def test_the_page_warns_before_the_official_run_is_withdrawn_and_only_then(
    client: Client, closed: Phase, runs: list[Run], member: User
) -> None:
    client.force_login(member)
    assert WARNING in text_of(client.get(runs[1].get_absolute_url()).content)
    assert WARNING not in text_of(client.get(runs[0].get_absolute_url()).content)
    system = f"/tasks/blind/systems/{runs[0].system.public_id}/"
    assert WARNING in text_of(client.get(system).content)
    Phase.objects.update(closes_at=clock.database_now() + 60 * MINUTE)
    for address in (runs[1].get_absolute_url(), system):
        assert WARNING not in text_of(client.get(address).content)


def test_the_page_says_why_no_run_is_official_afterwards(
    client: Client, closed: Phase, runs: list[Run], member: User
) -> None:
    client.force_login(member)
    client.post(runs[1].get_absolute_url() + "withdraw/", {"reason": "x"})
    for run in runs:
        text = text_of(client.get(run.get_absolute_url()).content)
        assert "none: run 2 was withdrawn after the phase closed" in text
        assert "Mark as official run" not in text
        assert "Unmark" not in text


def test_organisers_see_the_effect_of_each_act_on_the_official_run(
    closed: Phase, runs: list[Run], organiser: User, client: Client, settings: object
) -> None:
    settings.ORGANISERS_NEED_SECOND_FACTOR = False  # type: ignore[attr-defined]
    client.force_login(organiser)
    text = text_of(client.get(f"/tasks/blind/organise/runs/{runs[1].public_id}/").content)
    assert "run 1 becomes the official run" in text
    assert "the team will have no ranked run" in text
    other = text_of(client.get(f"/tasks/blind/organise/runs/{runs[0].public_id}/").content)
    assert "becomes the official run" not in other
    assert "the team will have no ranked run" not in other


def test_the_admin_neither_deletes_a_run_nor_changes_a_primary_system(
    runs: list[Run], client: Client
) -> None:
    """Both would change what is official without a reason in the log."""
    client.force_login(User.objects.create_superuser("root"))
    assert client.post(f"/admin/submissions/run/{runs[1].pk}/delete/", {"post": "yes"}).status_code == 403
    page = client.get(f"/admin/teams/team/{runs[0].team_id}/change/").content.decode()
    assert "systems-0-name" in page
    assert "systems-0-is_primary" not in page
    assert "systems-0-DELETE" not in page


def test_a_late_withdrawal_stays_late_when_organisers_change_the_times(
    closed: Phase, runs: list[Run], member: User
) -> None:
    """An extension lets the team upload and mark again, but makes no other run official."""
    withdraw_run(run=runs[1], by=member)
    closed.extensions.create(
        team=runs[0].team, closes_at=clock.database_now() + 60 * MINUTE, reason="A power cut."
    )
    assert chosen(closed) is None
    last = scored(closed, "Alder", 0.3, minutes=40)
    assert chosen(closed) == last.number
    mark_official.mark_by_team(run=Run.objects.get(pk=runs[0].pk), by=member)
    assert chosen(closed) == 1
