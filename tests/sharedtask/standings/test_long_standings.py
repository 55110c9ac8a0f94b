"""Standings that take longer than a task may: computed in steps, continued after a death, computed once."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from sharedtask.accounts.models import User
from sharedtask.competition.models import Phase, StandingRequest, Task
from sharedtask.core import clock, storage
from sharedtask.standings import compute, progress, recompute, set_parts
from sharedtask.standings.figures import read_figures
from sharedtask.standings.models import Standing
from sharedtask.submissions.models import Run
from sharedtask.work.perform import perform
from sharedtask.work.targets import COMPUTE_STANDINGS
from tests.sharedtask.support.sending import Sent
from tests.sharedtask.support.standing import close_now, compare, scored

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("as_worker")]

BATCHES = 4


@pytest.fixture
def long_phase(blind_task: Task) -> Phase:
    Task.objects.update(replicates=250 * BATCHES)
    close_now(blind_task)
    phase = blind_task.phases.select_related("task").get()
    for name, las in (("Ash", 0.9), ("Birch", 0.8), ("Cedar", 0.7)):
        scored(phase, name, las)
    return phase


@pytest.fixture
def organiser(blind_task: Task, client: Client) -> User:
    user = User.objects.create_user("organiser", password="a long password")
    blind_task.organisers.add(user)
    client.force_login(user)
    return user


def request_of(phase: Phase) -> StandingRequest:
    request, _ = StandingRequest.objects.get_or_create(phase=phase)
    return request


def stored_progress() -> list[str]:
    folder = storage.path_of("progress")
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


def without_progress(phase: Phase) -> Any:
    """The same figures, computed in one go."""
    inputs = compute.gather(phase, "official", at=clock.database_now())
    return compute.compute_figures(inputs).figures


def test_a_task_stops_in_time_and_the_next_one_continues(
    long_phase: Phase, dispatched: list[Sent], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recompute, "seconds_per_task", lambda: 0.0)
    dispatched.clear()
    calls = 0
    while StandingRequest.objects.filter(phase=long_phase).exists() or not calls:
        recompute.recompute_phase(request_of(long_phase))
        calls += 1
        if StandingRequest.objects.filter(phase=long_phase).exists():
            assert (COMPUTE_STANDINGS, [long_phase.pk]) in dispatched, "a message for the next one"
            assert stored_progress() == [f"{long_phase.pk}-official"]
            dispatched.clear()
        assert calls < 100
    assert calls > BATCHES, "one step in each call"
    standing = Standing.objects.get(phase=long_phase, ranking="official")
    assert read_figures(standing.public_id).to_bytes() == without_progress(long_phase).to_bytes()
    assert stored_progress() == []


def test_a_worker_that_dies_loses_only_what_was_not_saved(
    long_phase: Phase, dispatched: list[Sent], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_SAVES", 0.0)
    saved: list[float] = []
    save = progress.Progress.save

    def save_and_die(self: progress.Progress) -> None:
        save(self)
        saved.append(1)
        if len(saved) == BATCHES - 1:
            raise KeyboardInterrupt

    monkeypatch.setattr(progress.Progress, "save", save_and_die)
    with pytest.raises(KeyboardInterrupt):
        recompute.recompute_phase(request_of(long_phase))
    recompute.recompute_phase(request_of(long_phase))
    # One step remains of all test sets together; then come two single sets.
    assert len(saved) == (BATCHES - 1) + 1 + 2 * BATCHES
    standing = Standing.objects.get(phase=long_phase, ranking="official")
    assert read_figures(standing.public_id).to_bytes() == without_progress(long_phase).to_bytes()


def test_progress_of_other_inputs_is_not_used(
    long_phase: Phase, dispatched: list[Sent], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recompute, "seconds_per_task", lambda: 0.0)
    recompute.recompute_phase(request_of(long_phase))
    assert stored_progress()
    monkeypatch.undo()
    Run.objects.filter(team__name="Cedar").update(status="rejected")
    standing = compare(long_phase)["official"]
    assert [row["run"] for row in standing.table["rows"]] == list(read_figures(standing.public_id).systems)
    assert len(standing.table["rows"]) == 2


def test_organisers_see_how_far_it_is(
    long_phase: Phase,
    organiser: User,
    dispatched: list[Sent],
    client: Client,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(recompute, "seconds_per_task", lambda: 0.0)
    recompute.recompute_phase(request_of(long_phase))
    assert "so far: official, 12%" in client.get("/tasks/blind/publish/").content.decode()


def test_rankings_with_the_same_runs_are_computed_once(
    long_phase: Phase, dispatched: list[Sent], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = Run.objects.get(team__name="Ash")
    scored(long_phase, "Ash", 0.5, minutes=5)
    Run.objects.filter(pk=first.pk).update(marked_official_at=timezone.now())
    computed: list[str] = []
    compute_figures = compute.compute_figures

    def counted(inputs: Any, *args: Any) -> Any:
        computed.append(inputs.ranking)
        return compute_figures(inputs, *args)

    monkeypatch.setattr(compute, "compute_figures", counted)
    standings = compare(long_phase)
    assert set(standings) == {"official", "best"}
    assert computed == ["official"]
    official, best = (read_figures(standings[name].public_id) for name in ("official", "best"))
    assert official.to_bytes() == best.to_bytes()


def test_figures_of_test_sets_of_a_large_standing_are_kept_for_the_next(
    long_phase: Phase, dispatched: list[Sent], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker stops after every test set; none is computed twice, and a rejected run changes all of them."""
    expected = without_progress(long_phase).to_bytes()
    monkeypatch.setattr(set_parts, "LARGE", 0)
    monkeypatch.setattr(recompute, "seconds_per_task", lambda: 0.0)
    computed: list[str] = []
    set_figures = compute.set_figures

    def counted(results: Any, rules: Any, code: str, main: Any) -> Any:
        computed.append(code)
        return set_figures(results, rules, code, main)

    monkeypatch.setattr(compute, "set_figures", counted)
    calls = 0
    while StandingRequest.objects.filter(phase=long_phase).exists() or not calls:
        recompute.recompute_phase(request_of(long_phase))
        calls += 1
        assert calls < 100
    standing = Standing.objects.get(phase=long_phase, ranking="official")
    assert read_figures(standing.public_id).to_bytes() == expected
    codes = sorted(test_set.code for test_set in long_phase.test_sets.all())
    assert computed == codes, "each test set once, in spite of the interruptions"
    Run.objects.filter(team__name="Cedar").update(status="rejected")
    monkeypatch.setattr(recompute, "seconds_per_task", lambda: 1e9)
    compare(long_phase)
    assert computed == codes * 2
    Run.objects.filter(team__name="Cedar").update(status="counts")
    Standing.objects.all().delete()
    assert read_figures(compare(long_phase)["official"].public_id).to_bytes() == expected
    assert computed == codes * 2, "the figures of the first time are still there"
    assert len(stored_progress()) == 2 * len(codes)


def test_the_oldest_kept_figures_are_removed_beyond_the_budget(settings: Any) -> None:
    settings.KEPT_FIGURES_BYTES = 250
    now = timezone.now()
    entries = [
        storage.StoredEntry(name=f"progress/set-{age}", modified_at=now - timedelta(days=age), size=100)
        for age in (3, 1, 2, 4)
    ]
    other = storage.StoredEntry(name="progress/7-official", modified_at=now - timedelta(days=9), size=1000)
    assert set_parts.beyond_budget([*entries, other]) == ["progress/set-3", "progress/set-4"]


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
