"""A bootstrap that was interrupted continues where it was and gives the same figures, bit for bit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields

import numpy as np
import pytest

from evaluation import Counts
from evaluation.ranking import bootstrap
from evaluation.ranking.bootstrap import BATCH, BootstrapResult, resample
from evaluation.ranking.checkpoint import Checkpoint
from evaluation.ranking.results import GoldSet, Outcome, Results
from evaluation.scoring.profiles import PROFILES

METRICS = PROFILES["conll17"].metrics
BATCHES = 6


class Killed(Exception):
    pass


class Interrupted(Checkpoint):
    """Saves every step, and dies after so many."""

    def __init__(self, parts: dict[str, bytes], steps: int) -> None:
        super().__init__(parts)
        self.steps = steps
        self.shares: list[float] = []

    def step(self, part: str, state: Callable[[], bytes], *, share: float) -> None:
        self.shares.append(share)
        self.parts[part] = state()
        if len(self.shares) == self.steps:
            raise Killed


def counts(seed: int) -> Counts:
    source = np.random.default_rng(seed)
    values = np.full((40, len(METRICS), 4), 20, dtype=np.int32)
    values[:, :, 2] = source.integers(0, 20, values.shape[:2])
    return Counts(METRICS, values)


@pytest.fixture(scope="module")
def results() -> Results:
    return Results(
        profile="conll17",
        sets=(GoldSet(code="de_one", groups=("big",)), GoldSet(code="en_two", groups=("small",))),
        systems={
            name: {code: Outcome.from_counts(counts(seed + place)) for place, code in enumerate(codes)}
            for seed, (name, codes) in enumerate(
                {"a": ("de_one", "en_two"), "b": ("de_one", "en_two"), "c": ("de_one",)}.items()
            )
        },
    )


def resampled(results: Results, checkpoint: Checkpoint | None = None) -> BootstrapResult:
    return resample(
        results, metrics=("LAS", "UAS"), replicates=BATCH * BATCHES - 3, seed=7, checkpoint=checkpoint
    )


def assert_equal(one: BootstrapResult, other: BootstrapResult) -> None:
    for field in fields(BootstrapResult):
        assert np.array_equal(getattr(one, field.name), getattr(other, field.name)), field.name


@pytest.mark.parametrize("steps", [1, 3, BATCHES])
def test_what_was_done_before_an_interruption_is_not_done_again(results: Results, steps: int) -> None:
    first = Interrupted({}, steps)
    with pytest.raises(Killed):
        resampled(results, first)
    second = Interrupted(first.parts, BATCHES + 1)
    assert_equal(resampled(results, second), resampled(results))
    assert len(second.shares) == BATCHES - steps
    assert first.shares[-1] == steps / BATCHES


def test_a_finished_part_is_read_back(results: Results) -> None:
    first = Interrupted({}, BATCHES + 1)
    whole = resampled(results, first)
    again = Interrupted(first.parts, 1)
    assert_equal(resampled(results, again), whole)
    assert again.shares == []
    assert list(first.parts) == ["all finished"], "the state of the steps is no longer needed"


def test_metrics_that_are_resampled_one_after_the_other_continue_too(
    results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = resampled(results)
    monkeypatch.setattr(bootstrap, "_MEMORY", 1)
    first = Interrupted({}, BATCHES + 2)
    with pytest.raises(Killed):
        resampled(results, first)
    assert first.shares == sorted(first.shares) and 0.5 < first.shares[-1] < 1
    second = Interrupted(first.parts, 2 * BATCHES)
    assert_equal(resampled(results, second), whole)
    assert len(second.shares) == BATCHES - 2, "the first metric is finished"
    assert list(second.parts) == ["all finished"]
