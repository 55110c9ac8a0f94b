"""What `evaluation` needs to know of a task: its results, and its rules of standings."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from evaluation.ranking.results import GoldSet, Outcome, Results
from evaluation.ranking.standings import Rules
from sharedtask.competition.metrics import metrics_of, options_of, profile_of, significance_test
from sharedtask.competition.models import Task
from sharedtask.competition.tracks import find_track
from sharedtask.core import sealing, storage


def results_of(
    task: Task, track: str, sets: Sequence[GoldSet], systems: Mapping[str, Mapping[str, Outcome]]
) -> Results:
    """Systems are called by the public ids of their runs, which never change."""
    return Results(
        profile=profile_of(task),
        sets=tuple(sets),
        systems=systems,
        options=options_of(task, track),
        unit=task.resampling_unit,  # type: ignore[arg-type]
        track=track,
        only=metrics_of(task, track) if find_track(task, track) else (),
    )


def rules_for(task: Task, baselines: Collection[str], *, replicates: int) -> Rules:
    return Rules(
        missing="zero" if task.missing_policy == Task.MissingPolicy.ZERO else "exclude",
        baselines=frozenset(baselines),
        number_baselines=task.baselines_ranked,
        replicates=replicates,
        seed=task.seed,
        test=significance_test(task),
    )


def read_outcome(state: str, units: str) -> Outcome:
    """Of a file in this state, whose counts have this name in storage."""
    if not units:
        return Outcome(status="invalid" if state == "invalid" else "missing")
    return Outcome(status="valid", stored=sealing.unseal(storage.read(units)))
