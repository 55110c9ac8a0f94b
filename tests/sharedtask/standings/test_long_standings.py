"""Large standings: split into parts that any worker takes, continued after a death, computed once."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from sharedtask.accounts.models import User
from sharedtask.competition.models import Phase, StandingRequest, Task
from sharedtask.core import clock
from sharedtask.standings import compute, parts, recompute, set_parts
from sharedtask.standings.figures import read_figures
from sharedtask.standings.models import Standing, StandingPart
from sharedtask.submissions.models import Run
from sharedtask.work.perform import perform
from sharedtask.work.sweep import sweep
from sharedtask.work.targets import COMPUTE_PART, COMPUTE_STANDINGS
from tests.sharedtask.support.long_standings import (
    assert_right,
    begin,
    finish,
    kept,
    request_of,
)
from tests.sharedtask.support.sending import Sent
from tests.sharedtask.support.standing import compare, scored

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("as_worker")]


@pytest.fixture
def organiser(blind_task: Task, client: Client) -> User:
    user = User.objects.create_user("organiser", password="a long password")
    blind_task.organisers.add(user)
    client.force_login(user)
    return user


def test_a_large_standing_is_split_by_test_set_and_joined_by_the_last_part(
    large_phase: Phase, dispatched: list[Sent]
) -> None:
    names = begin(large_phase)
    assert len(names) == large_phase.test_sets.count() > 1
    assert {(COMPUTE_PART, (name,)) for name in names} <= {
        (target, tuple(keys)) for target, keys in dispatched
    }
    assert begin(large_phase) == names, "the request waits for its parts and asks for nothing twice"
    assert not Standing.objects.exists()
    dispatched.clear()
    for name in names[:-1]:
        perform(parts.ComputePart(), [name])
        assert (COMPUTE_STANDINGS, [large_phase.pk]) not in dispatched
    perform(parts.ComputePart(), names[-1:])
    assert (COMPUTE_STANDINGS, [large_phase.pk]) in dispatched
    assert_right(large_phase, finish(large_phase))


def test_two_workers_share_the_parts_and_nobody_computes_one_twice(
    large_phase: Phase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second worker comes while the first computes, with the same messages."""
    names, computed = begin(large_phase), []
    compute_part = set_parts.compute_part

    def meanwhile(part: Any) -> Any:
        computed.append(part.code)
        if len(computed) == 1:
            for name in names:
                perform(parts.ComputePart(), [name])
        return compute_part(part)

    monkeypatch.setattr(set_parts, "compute_part", meanwhile)
    for name in names:
        perform(parts.ComputePart(), [name])
    assert sorted(computed) == sorted(test_set.code for test_set in large_phase.test_sets.all())
    assert_right(large_phase, finish(large_phase))


def test_a_worker_that_dies_loses_one_test_set(large_phase: Phase, monkeypatch: pytest.MonkeyPatch) -> None:
    names = begin(large_phase)
    perform(parts.ComputePart(), names[:1])
    computed: list[str] = []
    compute_part = set_parts.compute_part

    def die(part: Any) -> Any:
        computed.append(part.code)
        if len(computed) == 1:
            raise KeyboardInterrupt
        return compute_part(part)

    monkeypatch.setattr(set_parts, "compute_part", die)
    with pytest.raises(KeyboardInterrupt):
        perform(parts.ComputePart(), names[1:2])
    part = StandingPart.objects.get(name=names[1])
    assert part.claimed_by, "it still has its lease, as after kill -9"
    StandingPart.objects.update(claimed_until=timezone.now() - timedelta(seconds=1))
    swept = sweep(parts.ComputePart(), at=clock.database_now(), patience=timedelta(0))
    assert (swept.lost, swept.dispatched) == (1, len(names) - 1)
    assert_right(large_phase, finish(large_phase))
    assert computed.count(part.inputs["code"]) == 2 and len(computed) == len(names)


def test_a_run_that_is_withdrawn_meanwhile_is_not_in_the_standing(large_phase: Phase) -> None:
    names = begin(large_phase)
    perform(parts.ComputePart(), names[:1])
    Run.objects.filter(team__name="Cedar").update(status="rejected")
    for name in names[1:]:
        perform(parts.ComputePart(), [name])
    standing = finish(large_phase)
    assert len(standing.table["rows"]) == 2
    assert_right(large_phase, standing)
    assert not StandingPart.objects.exists()


def test_rules_that_change_meanwhile_make_parts_useless(large_phase: Phase) -> None:
    names = begin(large_phase)
    Task.objects.update(seed=99)
    for name in names:
        perform(parts.ComputePart(), [name])
    assert kept() == [], "they were not computed by the new rules under the name of the old ones"
    large_phase.task.refresh_from_db()
    assert_right(large_phase, finish(large_phase))


def test_organisers_see_how_far_it_is(large_phase: Phase, organiser: User, client: Client) -> None:
    perform(parts.ComputePart(), begin(large_phase)[:1])
    assert "so far: official, 50%" in client.get("/tasks/blind/publish/").content.decode()


def test_a_part_that_always_fails_ends_the_request(
    large_phase: Phase, organiser: User, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(part: Any) -> None:
        raise ValueError("no such counts")

    monkeypatch.setattr(set_parts, "compute_part", refuse)
    kind = parts.ComputePart()
    names = begin(large_phase)
    StandingPart.objects.update(attempts=(kind.retries.max_attempts or 0) - 1)
    perform(kind, names[:1])
    request = request_of(large_phase)
    assert request.failed_at is not None and "no such counts" in request.failure["note"]
    assert not StandingPart.objects.exists() and not recompute.ComputeStandings().waiting().exists()
    assert (
        "could not be computed because of a server error"
        in client.get("/tasks/blind/publish/").content.decode()
    )
    monkeypatch.undo()
    monkeypatch.setattr(set_parts, "LARGE", 0)
    assert recompute.retry_failed_standings(large_phase.task) == 1
    assert_right(large_phase, finish(large_phase))


def test_rankings_with_the_same_runs_are_computed_once(
    long_phase: Phase, dispatched: list[Sent], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = Run.objects.get(team__name="Ash")
    scored(long_phase, "Ash", 0.5, minutes=5)
    Run.objects.filter(pk=first.pk).update(marked_official_at=timezone.now())
    computed: list[str] = []
    compute_figures = compute.compute_figures

    def counted(inputs: Any, **options: Any) -> Any:
        computed.append(inputs.ranking)
        return compute_figures(inputs, **options)

    monkeypatch.setattr(compute, "compute_figures", counted)
    standings = compare(long_phase)
    assert set(standings) == {"official", "best"}
    assert computed == ["official"]
    official, best = (read_figures(standings[name].public_id) for name in ("official", "best"))
    assert official.to_bytes() == best.to_bytes()


def test_what_the_database_refuses_is_a_failure_and_is_not_tried_for_ever(
    long_phase: Phase,
    organiser: User,
    dispatched: list[Sent],
    client: Client,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*args: Any, **values: Any) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT repeat('x', 1024 * 1024 * 1024)")

    monkeypatch.setattr(compute, "store", refuse)
    kind = recompute.ComputeStandings()
    request = request_of(long_phase)
    attempts = kind.retries.max_attempts or 0
    StandingRequest.objects.update(attempts=attempts - 2, since=timezone.now() - timedelta(hours=1))
    for attempt in (1, 2):
        StandingRequest.objects.update(claimed_until=None)
        perform(kind, [long_phase.pk])
        request.refresh_from_db()
        assert request.attempts == attempts - 2 + attempt
        assert "OperationalError" in request.failure["kind"] and "repeat" in request.failure["note"]
    assert request.failed_at is not None and not kind.waiting().exists()
    assert (
        "could not be computed because of a server error"
        in client.get("/tasks/blind/publish/").content.decode()
    )
    monkeypatch.undo()
    assert recompute.retry_failed_standings(long_phase.task) == 1
    request.refresh_from_db()
    assert (request.failed_at, request.attempts) == (None, 0)
    assert compare(long_phase)["official"]


def test_the_replicates_that_holm_needs_are_named_before_anything_is_computed(
    long_phase: Phase, organiser: User, dispatched: list[Sent], client: Client
) -> None:
    Task.objects.update(replicates=100)
    page = client.get("/tasks/blind/publish/").content.decode()
    assert "For 3 systems" in page and "at least 120" in page and "draws 100" in page
    Task.objects.update(replicates=120)
    assert "at least 120" not in client.get("/tasks/blind/publish/").content.decode()
    Task.objects.update(replicates=60, significance_test=Task.SignificanceTest.ONE_SIDED)
    assert "at least" not in client.get("/tasks/blind/publish/").content.decode()
