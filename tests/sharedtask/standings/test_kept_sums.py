"""Figures and sums that are kept: what is taken over for a new run, and what is made again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from django.utils import timezone

from evaluation.ranking import pairs, replicates
from evaluation.ranking.pairs import Pairs
from evaluation.ranking.places import Places
from sharedtask.competition.models import Phase, Task
from sharedtask.core import storage
from sharedtask.standings import parts, set_parts
from sharedtask.standings.set_parts import SetInputs
from sharedtask.submissions.models import Run
from sharedtask.work.perform import perform
from tests.sharedtask.support.long_standings import (
    assert_right,
    begin,
    finish,
    first_part,
    kept,
    with_rules,
)
from tests.sharedtask.support.sending import Sent
from tests.sharedtask.support.standing import scored

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("as_worker")]


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


def test_the_oldest_kept_figures_are_removed_beyond_the_budget_after_all_sums(settings: Any) -> None:
    settings.KEPT_FIGURES_BYTES = 250
    now = timezone.now()
    entries = [
        storage.StoredEntry(name=f"progress/{name}", modified_at=now - timedelta(days=age), size=100)
        for name, age in (("set-3", 3), ("set-1", 1), ("sums-0", 0), ("set-4", 4))
    ]
    assert set_parts.beyond_budget(entries) == ["progress/set-4", "progress/sums-0"]
