"""Publishing: all at once, by a recorded act, and nobody but organisers sees anything before it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client
from django.utils import timezone

from sharedtask.accounts.models import User
from sharedtask.competition.models import AuditEntry, Phase, StandingRequest, Task
from sharedtask.competition.request_standings import request_standings
from sharedtask.core import clock
from sharedtask.leaderboard.board.build import build_for_phase
from sharedtask.standings import compute, recompute
from sharedtask.standings.models import Publication, Standing
from sharedtask.standings.publish import NotReady, publish_results
from sharedtask.standings.recompute import ComputeStandings
from sharedtask.submissions.models import Run, Score
from sharedtask.teams.models import System
from sharedtask.work import dispatch
from sharedtask.work.claim import claim
from sharedtask.work.dispatch import Key
from sharedtask.work.perform import perform
from tests.sharedtask.support.building import good_archive
from tests.sharedtask.support.reading import nothing_written
from tests.sharedtask.support.standing import close_now, compare, scored

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("as_worker", "dispatched")]

OFFICIAL = {"rankings": ["test/official"]}


@pytest.fixture
def organiser(blind_task: Task) -> User:
    user = User.objects.create_user("organiser", password="a long password")
    blind_task.organisers.add(user)
    return user


@pytest.fixture
def blind_phase(blind_task: Task) -> Phase:
    """A test that has just closed."""
    close_now(blind_task)
    return blind_task.phases.select_related("task").get()


def names(phase: Phase, viewer: User | AnonymousUser, ranking: str = "official") -> list[str]:
    phase.task.refresh_from_db()
    return [row.name for row in build_for_phase(viewer, phase, at=clock.database_now(), ranking=ranking).rows]


def test_results_are_shown_to_all_from_the_moment_they_are_published(
    blind_phase: Phase, organiser: User, client: Client
) -> None:
    scored(blind_phase, "Ash", 0.9)
    scored(blind_phase, "Birch", 0.8)
    compare(blind_phase)
    assert b"No results yet" in client.get("/tasks/blind/leaderboard/").content
    assert names(blind_phase, AnonymousUser()) == []
    assert names(blind_phase, organiser) == ["Ash", "Birch"]
    publish_results(task=blind_phase.task, by=organiser, reason="The paper is out.")
    assert names(blind_phase, AnonymousUser()) == ["Ash", "Birch"]
    assert b"Birch" in client.get("/tasks/blind/leaderboard/").content
    entry = AuditEntry.objects.get(action="publish-results")
    assert (entry.who, entry.reason) == (organiser, "The paper is out.")
    assert entry.details["standings"]["test official"]["signature"] == Standing.objects.get().signature


def test_what_was_published_does_not_change_until_it_is_published_again(
    blind_phase: Phase, organiser: User, client: Client
) -> None:
    first = scored(blind_phase, "Ash", 0.9)
    scored(blind_phase, "Birch", 0.8)
    compare(blind_phase)
    old = publish_results(task=blind_phase.task, by=organiser, reason="first").standings.get()
    Run.objects.filter(pk=first.pk).update(status="rejected")
    compare(blind_phase)
    assert names(blind_phase, AnonymousUser()) == ["Ash", "Birch"]
    blind_phase.task.refresh_from_db()
    preview = build_for_phase(organiser, blind_phase, at=clock.database_now(), preview=True)
    assert [row.name for row in preview.rows] == ["Birch"]
    publish_results(task=blind_phase.task, by=organiser, reason="second", note="Ash was disqualified.")
    assert names(blind_phase, AnonymousUser()) == ["Birch"]
    assert b"Ash was disqualified." in client.get("/tasks/blind/leaderboard/").content
    document = client.get(f"/standings/{old.public_id}.json").json()
    assert document["systems"][0]["name"] == first.public_id
    assert document["names"][first.public_id]["team"] == "Ash"
    assert Publication.objects.count() == 2


def test_nothing_is_published_while_a_run_is_being_scored_or_a_standing_is_old(
    blind_phase: Phase, organiser: User
) -> None:
    run = scored(blind_phase, "Ash", 0.9)
    with pytest.raises(NotReady, match="is being computed"):
        publish_results(task=blind_phase.task, by=organiser, reason="too early")
    assert StandingRequest.objects.filter(phase=blind_phase).exists(), "what was missing stays asked for"
    compare(blind_phase)
    late = scored(blind_phase, "Birch", 0.8)
    Run.objects.filter(pk=late.pk).update(state="scoring")
    with pytest.raises(NotReady, match="1 run is still being scored"):
        publish_results(task=blind_phase.task, by=organiser, reason="too early")
    assert not Publication.objects.exists()
    run.task.refresh_from_db()
    assert run.task.results_published_at is None


def test_publishing_requests_standings_and_viewing_the_page_does_not(
    blind_phase: Phase, organiser: User, client: Client
) -> None:
    scored(blind_phase, "Ash", 0.9)
    StandingRequest.objects.all().delete()
    client.force_login(organiser)
    with nothing_written():
        assert b"will be computed within a minute" in client.get("/tasks/blind/publish/").content
    refused = client.post("/tasks/blind/publish/", {"reason": "now", "note": "The first.", **OFFICIAL})
    assert refused.status_code == 409
    assert b"is being computed" in refused.content
    assert b'value="The first."' in refused.content, "what was typed is not lost"
    assert StandingRequest.objects.filter(phase=blind_phase).exists()


def test_a_standing_of_a_blind_phase_has_no_address_for_others(
    blind_phase: Phase, organiser: User, client: Client, member: User
) -> None:
    scored(blind_phase, "Ash", 0.9)
    address = f"/standings/{compare(blind_phase)['official'].public_id}.json"
    assert client.get(address).status_code == 404
    client.force_login(member)
    assert client.get(address).status_code == 404
    assert client.get("/tasks/blind/publish/").status_code == 404
    client.force_login(organiser)
    assert client.get(address).status_code == 200


def test_official_and_unofficial_are_kept_apart(blind_phase: Phase, organiser: User) -> None:
    first = scored(blind_phase, "Ash", 0.9)
    scored(blind_phase, "Ash", 0.7, minutes=1)
    second = System.objects.create(team=first.team, name="Ash with tricks")
    scored(blind_phase, "Ash", 0.95, system=second)
    marked = scored(blind_phase, "Birch", 0.6)
    scored(blind_phase, "Birch", 0.8, minutes=1)
    Run.objects.filter(pk=marked.pk).update(marked_official_at=timezone.now())
    compare(blind_phase)
    publish_results(task=blind_phase.task, by=organiser, reason="now")
    blind_phase.task.refresh_from_db()
    official = build_for_phase(AnonymousUser(), blind_phase, at=clock.database_now())
    assert [(row.name, row.score) for row in official.rows] == [("Ash", "70.00"), ("Birch", "60.00")]
    unofficial = build_for_phase(AnonymousUser(), blind_phase, at=clock.database_now(), ranking="unofficial")
    assert [(row.entrant.run.system.public_id, row.score) for row in unofficial.rows] == [
        (second.public_id, "95.00")
    ]


@pytest.mark.parametrize(("policy", "expected"), [("hidden", []), ("unranked", [(None, True)])])
def test_a_withdrawn_system_is_hidden_or_shown_without_a_rank(
    blind_phase: Phase, organiser: User, policy: str, expected: list[tuple[int | None, bool]]
) -> None:
    Task.objects.update(withdrawn_policy=policy)
    blind_phase.task.refresh_from_db()
    run = scored(blind_phase, "Ash", 0.9)
    scored(blind_phase, "Birch", 0.8)
    System.objects.filter(pk=run.system_id).update(withdrawn_at=timezone.now())
    compare(blind_phase)
    rows = build_for_phase(organiser, blind_phase, at=clock.database_now()).rows
    assert [(row.name, row.rank) for row in rows if not row.withdrawn] == [("Birch", 1)]
    assert [(row.rank, row.withdrawn) for row in rows if row.withdrawn] == expected


def test_an_organiser_publishes_on_a_page_and_must_give_a_reason(
    blind_phase: Phase, organiser: User, client: Client
) -> None:
    scored(blind_phase, "Ash", 0.9)
    compare(blind_phase)
    client.force_login(organiser)
    assert b"ready" in client.get("/tasks/blind/publish/").content
    assert client.post("/tasks/blind/publish/", {"reason": " "}).status_code == 409
    assert client.post("/tasks/blind/publish/", {"reason": "The workshop is over."}).status_code == 409
    answer = client.post("/tasks/blind/publish/", {"reason": "The workshop is over.", **OFFICIAL})
    assert answer.status_code == 302
    client.logout()
    assert b"Ash" in client.get("/tasks/blind/leaderboard/").content


def test_a_burst_of_changes_is_computed_once(
    phase: Phase, upload: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Key] = []
    monkeypatch.setattr(dispatch, "send_later", lambda target, keys, seconds: asked.append(keys[0]))
    now = timezone.now()
    for second in range(5):
        request_standings(phase.pk, at=now + timedelta(seconds=second))
    assert len(asked) == 1
    at = now + timedelta(seconds=5)
    assert not perform(ComputeStandings(), [phase.pk], at=at), "changes are still coming"
    assert len(asked) == 2, "so that it is looked at again"
    assert claim(ComputeStandings(), [phase.pk], at=now + timedelta(seconds=7))
    assert not perform(ComputeStandings(), [phase.pk], at=now + timedelta(seconds=7)), "one worker is at it"


def test_continuous_changes_do_not_delay_standings_for_ever(phase: Phase) -> None:
    now = timezone.now()
    request_standings(phase.pk, at=now)
    request_standings(phase.pk, at=now + recompute.LONGEST_BURST)
    assert claim(ComputeStandings(), [phase.pk], at=now + recompute.LONGEST_BURST)


def test_a_change_during_the_computation_is_not_forgotten(
    phase: Phase, monkeypatch: pytest.MonkeyPatch
) -> None:
    scored(phase, "Ash", 0.9)
    request_standings(phase.pk, at=timezone.now() - recompute.LONGEST_BURST)
    (claimed,) = claim(ComputeStandings(), [phase.pk])
    request_standings(phase.pk)
    recompute.recompute_phase(claimed)
    left = StandingRequest.objects.get(phase=phase)
    assert (left.claimed_until, left.claimed_by) == (None, "")


def test_the_same_inputs_are_computed_once_and_never_changed(
    phase: Phase, monkeypatch: pytest.MonkeyPatch
) -> None:
    scored(phase, "Ash", 0.9)
    first = compare(phase)["open"]
    later = scored(phase, "Ash", 0.5, minutes=1)
    assert compare(phase)["open"] != first
    monkeypatch.setattr(
        compute, "compute_figures", lambda inputs, **options: pytest.fail("it is there already")
    )
    Run.objects.filter(pk=later.pk).update(status="withdrawn")
    assert compare(phase)["open"] == first
    assert build_for_phase(AnonymousUser(), phase, at=clock.database_now()).standing == first


def test_the_old_standing_stays_until_corrected_gold_has_been_scored(phase: Phase) -> None:
    run = scored(phase, "Ash", 0.9)
    compare(phase)
    Score.objects.filter(file__run=run, file__test_set__code="en_two").update(state="waiting")
    assert compare(phase) == {}
    assert [row.name for row in build_for_phase(AnonymousUser(), phase, at=clock.database_now()).rows] == [
        "Ash"
    ]


def test_the_sweep_requests_stale_standings(phase: Phase) -> None:
    scored(phase, "Ash", 0.9)
    now = timezone.now()
    assert recompute.request_stale(at=now) == 1
    assert recompute.request_stale(at=now) == 0, "it is already requested"
    compare(phase)
    assert recompute.request_stale(at=now) == 0
    phase.test_sets.filter(code="en_two").update(revealed_at=now + timedelta(days=1))
    assert recompute.request_stale(at=now) == 1, "a set went under"
    compare(phase)
    assert recompute.request_stale(at=now + timedelta(days=2)) == 1, "the clock alone has revealed a set"


def test_a_run_goes_from_the_upload_to_the_table(
    phase: Phase, upload: Callable[..., Run], work: Callable[[], None]
) -> None:
    upload(good_archive())
    work()
    result = build_for_phase(AnonymousUser(), phase, at=clock.database_now())
    assert [(row.name, row.rank, row.score) for row in result.rows] == [("Alder", 1, "100.00")]
    assert not StandingRequest.objects.exists()


def test_nothing_is_published_while_a_team_can_still_upload(blind_phase: Phase, organiser: User) -> None:
    ash = scored(blind_phase, "Ash", 0.9)
    compare(blind_phase)
    now = clock.database_now()
    blind_phase.opens_at, blind_phase.closes_at = now - timedelta(days=2), now - timedelta(days=1)
    blind_phase.save()
    until = now + timedelta(hours=1)
    blind_phase.extensions.create(team=ash.team, closes_at=until, reason="A power cut.")
    with pytest.raises(NotReady, match="can still upload"):
        publish_results(task=blind_phase.task, by=organiser, reason="too early")
    assert not Publication.objects.exists()
    publish_results(task=blind_phase.task, by=organiser, reason="now", at=until)
    assert Publication.objects.count() == 1
