"""Large standings: split into parts that any worker takes, continued after a death, computed once."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from evaluation.ranking import pairs, replicates
from evaluation.ranking.pairs import Pairs
from evaluation.ranking.places import Places
from sharedtask.accounts.models import User
from sharedtask.competition.models import Phase, StandingRequest, Task
from sharedtask.core import clock, storage
from sharedtask.standings import compute, parts, recompute, set_parts
from sharedtask.standings.figures import read_figures
from sharedtask.standings.models import Standing, StandingPart
from sharedtask.standings.set_parts import SetInputs
from sharedtask.submissions.models import Run
from sharedtask.work.perform import perform
from sharedtask.work.sweep import sweep
from sharedtask.work.targets import COMPUTE_PART, COMPUTE_STANDINGS
from tests.sharedtask.support.sending import Sent
from tests.sharedtask.support.standing import close_now, compare, scored

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("as_worker")]


@pytest.fixture
def long_phase(blind_task: Task) -> Phase:
    close_now(blind_task)
    phase = blind_task.phases.select_related("task").get()
    for name, las in (("Ash", 0.9), ("Birch", 0.8), ("Cedar", 0.7)):
        scored(phase, name, las)
    return phase


@pytest.fixture
def large_phase(long_phase: Phase, dispatched: list[Sent], monkeypatch: pytest.MonkeyPatch) -> Phase:
    """Every standing counts as large."""
    monkeypatch.setattr(set_parts, "LARGE", 0)
    dispatched.clear()
    return long_phase


@pytest.fixture
def organiser(blind_task: Task, client: Client) -> User:
    user = User.objects.create_user("organiser", password="a long password")
    blind_task.organisers.add(user)
    client.force_login(user)
    return user


def request_of(phase: Phase) -> StandingRequest:
    request, _ = StandingRequest.objects.get_or_create(phase=phase)
    return request


def kept(prefix: str = "") -> list[str]:
    folder = storage.path_of("progress")
    names = (path.name for path in folder.iterdir()) if folder.is_dir() else ()
    return sorted(name for name in names if name.startswith(prefix))


def in_one_piece(phase: Phase) -> Any:
    """The same figures, computed at once and without anything that was kept."""
    inputs = compute.gather(phase, "official", at=clock.database_now())
    return compute.compute_figures(inputs)


def begin(phase: Phase) -> list[str]:
    """A worker takes the request and asks for parts: their names."""
    StandingRequest.objects.update_or_create(phase=phase, defaults={"since": timezone.now() - timedelta(1)})
    perform(recompute.ComputeStandings(), [phase.pk])
    return list(StandingPart.objects.order_by("pk").values_list("name", flat=True))


def finish(phase: Phase) -> Standing:
    """Workers take everything that is requested, until nothing is left."""
    for _ in range(20):
        for name in begin(phase):
            perform(parts.ComputePart(), [name])
        if not StandingRequest.objects.filter(phase=phase).exists():
            standing = Standing.objects.in_force(phase).filter(ranking="official").first()
            assert standing is not None
            return standing
    raise AssertionError("it never ends")


def assert_right(phase: Phase, standing: Standing) -> None:
    expected = in_one_piece(phase)
    assert read_figures(standing.public_id).to_bytes() == expected.figures.to_bytes()
    stored = standing.pair_figures.values_list("column", "stored")
    assert {column: bytes(pairs) for column, pairs in stored} == dict(expected.pairs)


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


RULES: dict[str, dict[str, Any]] = {
    "seed": {"seed": 99},
    "replicates": {"replicates": 7},
    "unit": {"resampling_unit": "sentence"},
    "test": {"significance_test": Task.SignificanceTest.ONE_SIDED},
    "profile": {"profile": "conll18"},
    "metrics": {"main_metrics": ["UAS"]},
}
DEPENDENCIES: dict[str, Callable[[SetInputs], SetInputs]] = {
    "gold": lambda part: replace(part, gold="0" * 64),
    "profile version": lambda part: replace(part, profile_version="2"),
    "test set": lambda part: replace(part, code="other"),
    **{
        rule: lambda part, values=values: replace(part, phase=with_rules(part.phase, values))
        for rule, values in RULES.items()
    },
}


def with_rules(phase: Phase, values: dict[str, Any]) -> Phase:
    other = copy(phase)
    other.task = copy(phase.task)
    for name, value in values.items():
        setattr(other.task, name, value)
    return other


@pytest.mark.parametrize("dependency", DEPENDENCIES)
def test_neither_figures_nor_sums_are_used_when_something_else_has_gone_in(
    long_phase: Phase, dispatched: list[Sent], dependency: str
) -> None:
    part = first_part(long_phase)
    other = DEPENDENCIES[dependency](part)
    assert other.name != part.name and other.sums_name != part.sums_name


def test_sums_are_taken_over_only_for_the_same_score_of_the_same_run(
    long_phase: Phase, dispatched: list[Sent]
) -> None:
    part = first_part(long_phase)
    set_parts.compute_part(part)
    (run, file), *_ = part.files.items()
    for changed in (replace(file, score="another"), replace(file, signature="scorer:2")):
        other = replace(part, files={**part.files, run: changed})
        kept_sums = set_parts.read_sums(part.sums_name)
        assert other.name != part.name and other.sums_name == part.sums_name and kept_sums
        known = kept_sums.of_unchanged(other.files)
        assert known and set(known.systems) == set(part.files) - {run}


def first_part(phase: Phase) -> SetInputs:
    inputs = compute.gather(phase, "official", at=clock.database_now())
    return set_parts.set_inputs(inputs, inputs.test_sets[0].code)


def test_only_the_files_of_a_new_run_are_resampled(
    large_phase: Phase, monkeypatch: pytest.MonkeyPatch
) -> None:
    finish(large_phase)
    resampled: list[list[str]] = []
    compared: list[int] = []
    make_set_sums, differences = set_parts.make_set_sums, pairs.differences

    def counted(results: Any, *given: Any, **rules: Any) -> Any:
        resampled.append(list(results.systems))
        return make_set_sums(results, *given, **rules)

    def few(sums: Any, metrics: Any, known: Any = ()) -> Any:
        compared.append(len(known))
        return differences(sums, metrics, known)

    monkeypatch.setattr(set_parts, "make_set_sums", counted)
    monkeypatch.setattr(pairs, "differences", few)
    new = scored(large_phase, "Douglas fir", 0.85)
    standing = finish(large_phase)
    sets = large_phase.test_sets.count()
    assert resampled == [[new.public_id]] * sets
    assert compared == [3] * sets, "pairs of the three earlier runs are known"
    monkeypatch.undo()
    assert_right(large_phase, standing)
    Run.objects.filter(team__name="Ash").update(status="rejected")
    assert_right(large_phase, finish(large_phase))


def test_only_the_intervals_of_a_new_run_are_computed(
    large_phase: Phase, monkeypatch: pytest.MonkeyPatch
) -> None:
    finish(large_phase)
    computed: list[int] = []
    intervals = replicates.intervals

    def counted(figures: Any) -> Any:
        computed.append(len(figures))
        return intervals(figures)

    monkeypatch.setattr(replicates, "intervals", counted)
    scored(large_phase, "Douglas fir", 0.85)
    for name in begin(large_phase):
        perform(parts.ComputePart(), [name])
    assert computed and set(computed) == {1}, "those of the three earlier runs are known"
    monkeypatch.undo()
    monkeypatch.setattr(set_parts, "LARGE", 0)
    assert_right(large_phase, finish(large_phase))


def test_a_run_with_a_new_score_gets_new_intervals(large_phase: Phase) -> None:
    """Under the same name: what is kept for the run belongs to its earlier file."""
    part = first_part(large_phase)
    (run, _), (_, better), *_ = part.files.items()
    before = set_parts.compute_part(part).places
    after = set_parts.compute_part(replace(part, files={**part.files, run: better})).places
    row, other = before.systems.index(run), next(iter(set(part.files) - {run}))
    rest = before.systems.index(other)
    assert (before.low[row] != after.low[row]).any() and (before.high[row] != after.high[row]).any()
    assert np.array_equal(before.low[rest], after.low[rest])
    for entry in kept():
        storage.remove(f"progress/{entry}")
    fresh = set_parts.compute_part(replace(part, files={**part.files, run: better})).places
    assert fresh.to_bytes() == after.to_bytes()


@pytest.mark.parametrize("kind", [Places, Pairs])
def test_figures_by_an_earlier_definition_are_not_taken_over(
    long_phase: Phase, dispatched: list[Sent], monkeypatch: pytest.MonkeyPatch, kind: Any
) -> None:
    part = first_part(long_phase)
    expected = set_parts.compute_part(part)
    with monkeypatch.context() as earlier:
        earlier.setattr(kind, "FORMAT", "of an earlier definition")
        old = replace(part)
        wrong = replace(expected.places, low=expected.places.low + 1)
        set_parts.store_figures(old.name, replace(expected, places=wrong))
        kept_sums = set_parts.read_sums(part.sums_name)
        assert kept_sums
        set_parts.store_sums(part.sums_name, replace(kept_sums, figures=old.name))
    again = set_parts.compute_part(part)
    assert again.places.to_bytes() == expected.places.to_bytes()


def test_a_score_that_changes_is_resampled_again(large_phase: Phase) -> None:
    finish(large_phase)
    Run.objects.filter(team__name="Ash").update(status="rejected")
    scored(large_phase, "Ash", 0.6, minutes=7)
    standing = finish(large_phase)
    assert_right(large_phase, standing)


def test_sums_that_were_removed_meanwhile_are_made_again(large_phase: Phase) -> None:
    for name in begin(large_phase):
        perform(parts.ComputePart(), [name])
    for name in kept("sums-"):
        storage.remove(f"progress/{name}")
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


def test_the_oldest_kept_figures_are_removed_beyond_the_budget_after_all_sums(settings: Any) -> None:
    settings.KEPT_FIGURES_BYTES = 250
    now = timezone.now()
    entries = [
        storage.StoredEntry(name=f"progress/{name}", modified_at=now - timedelta(days=age), size=100)
        for name, age in (("set-3", 3), ("set-1", 1), ("sums-0", 0), ("set-4", 4))
    ]
    assert set_parts.beyond_budget(entries) == ["progress/set-4", "progress/sums-0"]


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
