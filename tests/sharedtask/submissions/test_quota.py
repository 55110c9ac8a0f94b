"""Quotas: what uses them, what is given back, what a refusal says; and uploads that race for the last run."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client

from sharedtask.accounts.models import User
from sharedtask.competition.models import AuditEntry, Phase
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.core.storage import Incoming
from sharedtask.submissions import outputs
from sharedtask.submissions.grant_quota import grant_quota, grant_to_teams
from sharedtask.submissions.models import Run
from sharedtask.submissions.quota import quota_of, quotas_of
from sharedtask.submissions.withdraw import withdraw_run
from sharedtask.teams.models import Team
from sharedtask.teams.register import register
from tests.sharedtask.support.building import TWO_ROOTS, good_archive
from tests.sharedtask.support.working import check_run

Upload = Callable[..., Run]
Stored = Callable[[str], list[str]]
DAY = timedelta(days=1)
NOON = datetime(2026, 3, 5, 12, tzinfo=UTC)


def limit(phase: Phase, *, per_day: int | None = None, total: int | None = None) -> None:
    phase.runs_per_day, phase.runs_total = per_day, total
    phase.save()


def refusal(upload: Callable[[], Run]) -> Refusal:
    with pytest.raises(Refusal) as caught:
        upload()
    return caught.value


@pytest.mark.django_db
def test_the_daily_refusal_says_what_remains_and_when_the_next_run_is_possible(
    upload: Upload, phase: Phase
) -> None:
    limit(phase, per_day=2, total=5)
    for _ in range(2):
        upload(good_archive(), phase=phase, at=NOON)
    error = refusal(lambda: upload(good_archive(), phase=phase, at=NOON))
    assert error.id == "daily-quota-used"
    assert "2 of 2 runs" in error.message
    assert "3 remain in total" in error.message
    assert "from 2026-03-06 00:00:00 UTC." in error.message
    assert upload(good_archive(), phase=phase, at=datetime(2026, 3, 6, tzinfo=UTC)).number == 3


@pytest.mark.django_db
def test_the_refusal_on_the_last_day_does_not_promise_another_run(upload: Upload, phase: Phase) -> None:
    phase.closes_at = NOON + timedelta(hours=1)
    limit(phase, per_day=1)
    upload(good_archive(), phase=phase, at=NOON)
    message = refusal(lambda: upload(good_archive(), phase=phase, at=NOON)).message
    assert "closes at 2026-03-05 13:00:00 UTC, before the next day" in message
    assert "You can upload the next run" not in message


@pytest.mark.django_db
def test_the_refusal_of_the_phase_says_that_no_runs_remain(upload: Upload, phase: Phase) -> None:
    limit(phase, per_day=5, total=1)
    upload(good_archive(), phase=phase, at=NOON)
    error = refusal(lambda: upload(good_archive(), phase=phase, at=NOON + DAY))
    assert error.id == "phase-quota-used"
    assert "1 of 1 runs" in error.message
    assert "No runs remain; the organisers can grant more" in error.message


@pytest.mark.django_db
def test_a_granted_run_can_be_used_once_on_any_day(
    upload: Upload, phase: Phase, team: Team, member: User
) -> None:
    limit(phase, per_day=1)
    upload(good_archive(), phase=phase, at=NOON)
    with pytest.raises(Refusal, match="give a reason"):
        grant_quota(phase=phase, team=team, runs=1, by=member, reason=" ")
    grant_quota(phase=phase, team=team, runs=1, by=member, reason="their disk broke")
    upload(good_archive(), phase=phase, at=NOON)
    assert refusal(lambda: upload(good_archive(), phase=phase, at=NOON)).id == "daily-quota-used"
    upload(good_archive(), phase=phase, at=NOON + DAY)
    # The granted run is used up: the next day has its daily quota only.
    assert refusal(lambda: upload(good_archive(), phase=phase, at=NOON + DAY)).id == "daily-quota-used"
    entry = AuditEntry.objects.get(action="grant-quota")
    assert (entry.reason, entry.who) == ("their disk broke", member)
    assert (entry.details["before"], entry.details["after"]) == (0, 1)


@pytest.mark.django_db
def test_a_grant_raises_the_total_and_can_be_taken_back(
    upload: Upload, phase: Phase, team: Team, member: User
) -> None:
    limit(phase, total=1)
    upload(good_archive(), phase=phase)
    grant_quota(phase=phase, team=team, runs=2, by=member, reason="a slow network")
    upload(good_archive(), phase=phase)
    team.refresh_from_db()
    assert quota_of(phase, team, at=clock.database_now()).left_today == 1
    grant_quota(phase=phase, team=team, runs=-1, by=member, reason="one was enough")
    assert refusal(lambda: upload(good_archive(), phase=phase)).id == "phase-quota-used"
    with pytest.raises(Refusal, match="would leave -1"):
        grant_quota(phase=phase, team=team, runs=-2, by=member, reason="too many")


@pytest.mark.django_db
def test_a_grant_for_one_phase_leaves_the_other_phases_alone(
    upload: Upload, phase: Phase, team: Team, member: User
) -> None:
    limit(phase, total=1)
    other = Phase.objects.create(
        task=phase.task,
        code="other",
        kind="trial",
        title="Dry run",
        feedback="scores",
        opens_at=phase.opens_at,
        runs_total=1,
    )
    for each in (phase, other):
        upload(good_archive(), phase=each)
    grant_quota(phase=phase, team=team, runs=1, by=member, reason="a slow network")
    assert AuditEntry.objects.get(action="grant-quota").details["phase"] == phase.code
    assert refusal(lambda: upload(good_archive(), phase=other)).id == "phase-quota-used"
    upload(good_archive(), phase=phase)
    assert quotas_of([phase, other], team, at=clock.database_now())[phase.pk, ""].extra_runs == 1


@pytest.mark.django_db
def test_a_grant_to_several_teams_is_made_for_all_or_none(phase: Phase, team: Team, member: User) -> None:
    other = register(task=phase.task, name="Rowan", confirmed=True)
    limit(phase, total=1)
    grant_to_teams(phase=phase, teams=[team, other], runs=2, by=member, reason="the site was slow")
    assert [quota_of(phase, each, at=NOON).extra_runs for each in (team, other)] == [2, 2]
    grant_quota(phase=phase, team=other, runs=-1, by=member, reason="too many")
    with pytest.raises(Refusal, match="would leave -1"):
        grant_to_teams(phase=phase, teams=[team, other], runs=-2, by=member, reason="a mistake")
    assert [quota_of(phase, each, at=NOON).extra_runs for each in (team, other)] == [2, 1]
    with pytest.raises(Refusal, match="at least one team"):
        grant_to_teams(phase=phase, teams=[], runs=2, by=member, reason="nobody")


@pytest.mark.django_db
def test_a_baseline_has_no_quota(upload: Upload, phase: Phase) -> None:
    limit(phase, per_day=1, total=1)
    baseline = register(task=phase.task, name="UDPipe", is_baseline=True, confirmed=True)
    for number in (1, 2, 3):
        assert upload(good_archive(), team=baseline, phase=phase).number == number


@pytest.mark.django_db(transaction=True)
def test_a_refused_archive_uses_no_quota(
    upload: Upload, phase: Phase, work: Callable[[], None], settings: Any
) -> None:
    limit(phase, total=1)
    run = upload(b"no archive at all", phase=phase)
    work()
    run.refresh_from_db()
    assert (run.state, run.uses_quota) == ("refused", False)
    settings.UPLOAD_LIMITS = settings.UPLOAD_LIMITS | {"uploads_per_day": 2}
    assert upload(good_archive(), phase=phase).number == 2
    limit(phase)
    with pytest.raises(Refusal, match="uploaded 2 times within 24 hours"):
        upload(good_archive(), phase=phase)
    assert upload(good_archive(), phase=phase, at=clock.database_now() + DAY).number == 3


@pytest.mark.django_db(transaction=True)
def test_invalid_files_use_quota(upload: Upload, phase: Phase, work: Callable[[], None]) -> None:
    limit(phase, total=1)
    run = upload(good_archive(de_one="not a tree\n", en_two=TWO_ROOTS), phase=phase)
    work()
    run.refresh_from_db()
    assert set(run.files.values_list("state", flat=True)) == {"invalid"}
    assert run.uses_quota
    assert refusal(lambda: upload(good_archive(), phase=phase)).id == "phase-quota-used"


@pytest.mark.django_db(transaction=True)
def test_a_server_error_uses_no_quota(
    upload: Upload, phase: Phase, work: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:

    def stumble(run: Run) -> Any:
        raise RuntimeError("the disk is on fire")

    limit(phase, total=1)
    run = upload(good_archive(), phase=phase)
    with monkeypatch.context() as patch:
        patch.setattr(outputs, "unpack_run", stumble)
        for _ in range(20):
            Run.objects.filter(pk=run.pk).update(claimed_until=None)
            check_run(run.public_id)
    run.refresh_from_db()
    assert (run.state, run.uses_quota) == ("failed", False)
    assert upload(good_archive(), phase=phase).number == 2


@pytest.mark.django_db
def test_withdrawing_gives_no_quota_back(upload: Upload, phase: Phase, member: User) -> None:
    limit(phase, total=1)
    withdraw_run(run=upload(good_archive(), phase=phase), by=member)
    assert refusal(lambda: upload(good_archive(), phase=phase)).id == "phase-quota-used"


def at_once(number: int, function: Callable[[], Any]) -> list[Any]:
    """At once, in threads with a connection each."""
    barrier = threading.Barrier(number)

    def call(_: int) -> Any:
        try:
            connection.ensure_connection()
            barrier.wait()
            return function()
        finally:
            connection.close()

    with ThreadPoolExecutor(number) as pool:
        return list(pool.map(call, range(number)))


def outcome(upload: Callable[[], Run]) -> str:
    try:
        return f"run {upload().number}"
    except Refusal as error:
        return error.id


@pytest.mark.django_db(transaction=True)
def test_of_a_hundred_uploads_at_once_five_get_a_receipt(
    upload: Upload, phase: Phase, stored: Stored
) -> None:
    limit(phase, total=5)
    outcomes = Counter(at_once(100, partial(outcome, lambda: upload(good_archive(), phase=phase))))
    expected = {f"run {number}": 1 for number in range(1, 6)} | {"phase-quota-used": 95}
    assert outcomes == expected
    assert stored("uploads") == sorted(Run.objects.values_list("public_id", flat=True))
    assert len(stored("uploads")) == 5
    assert stored("incoming") == []


@pytest.mark.django_db(transaction=True)
def test_uploads_that_race_the_closing_second_have_a_receipt_before_it_or_a_refusal(
    upload: Upload, phase: Phase, team: Team, stored: Stored
) -> None:
    teams = [team, *(register(task=phase.task, name=f"Team {n}", confirmed=True) for n in range(9))]
    phase.closes_at = clock.database_now() + timedelta(seconds=1)
    phase.save()
    numbers = iter(range(1000))

    def until_refused() -> tuple[list[Run], Refusal]:
        mine = teams[next(numbers) % len(teams)]
        runs: list[Run] = []
        while True:
            try:
                runs.append(upload(good_archive(), team=mine, phase=phase))
            except Refusal as error:
                return runs, error

    results = at_once(20, until_refused)
    received = [run for runs, _ in results for run in runs]
    assert received
    assert Run.objects.count() == len(received)
    assert all(run.received_at < phase.closes_at for run in Run.objects.all())
    for _, error in results:
        assert error.id == "phase-closed"
        assert error.expected == f"before {phase.closes_at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
    assert stored("uploads") == sorted(run.public_id for run in received)
    assert stored("incoming") == []


@pytest.mark.django_db(transaction=True)
def test_waiting_for_the_lock_makes_no_upload_late(
    upload: Upload, phase: Phase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last byte arrived in time; delays in the database afterwards do not count."""
    phase.closes_at = clock.database_now() + timedelta(hours=1)
    phase.save()
    times = iter([phase.closes_at - timedelta(microseconds=1)])
    late = phase.closes_at + timedelta(minutes=1)
    monkeypatch.setattr(clock, "database_now", lambda: next(times, late))
    run = upload(good_archive(), phase=phase)
    assert run.received_at < phase.closes_at


def test_storing_makes_no_upload_late(
    team: Team, member: User, client: Client, phase: Phase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The phase closes while the archive is being stored."""
    last_byte = clock.database_now()
    phase.closes_at = last_byte + timedelta(seconds=1)
    phase.save()
    commit = Incoming.commit

    def commit_slowly(incoming: Incoming, name: str) -> None:
        monkeypatch.setattr(clock, "database_now", lambda: last_byte + timedelta(minutes=1))
        commit(incoming, name)

    monkeypatch.setattr(Incoming, "commit", commit_slowly)
    client.force_login(member)
    archive = SimpleUploadedFile("run.zip", good_archive())
    assert client.post("/tasks/tiny/upload/", {"archive": archive}).status_code == 302
    assert team.runs.get().received_at < phase.closes_at
