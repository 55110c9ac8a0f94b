"""Gather everything that goes into one standing from the database.

In: a phase, a ranking and the moment. Out: `Inputs`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from copy import copy
from datetime import datetime

from django.db.models import Q

from sharedtask.competition.metrics import main_metrics, presentation_of
from sharedtask.competition.models import GoldVersion, Phase, Task, TestSet
from sharedtask.competition.models.testset import TestSetQuerySet
from sharedtask.competition.tracks import NO_TRACK
from sharedtask.scorers.find import task_by
from sharedtask.standings.best import best_of_each_system, only_best
from sharedtask.standings.entries import FileInput, Inputs, RankingEntry
from sharedtask.standings.models import Standing
from sharedtask.standings.rankings import ranks_best_of_each_system, runs_of
from sharedtask.submissions.models import Run, RunFile, Score


def gather(
    phase: Phase,
    ranking: str,
    track: str = NO_TRACK,
    *,
    at: datetime,
    gold: Mapping[int, GoldVersion] | None = None,
    profile_version: str | None = None,
) -> Inputs:
    """`gold` and `profile_version` give other versions than those in force, to see what would change."""
    if profile_version is None:
        profile_version = phase.task.profile_version
    phase = phase_by(phase, profile_version)
    test_sets = list(compared_test_sets(phase, at=at).select_related("gold_in_force").order_by("code"))
    versions = {test_set.pk: test_set.gold_in_force for test_set in test_sets}
    versions |= {pk: version for pk, version in (gold or {}).items() if pk in versions}
    chosen = {pk: version for pk, version in versions.items() if version is not None}
    runs = runs_of(phase, ranking, track)
    if phase.task.withdrawn_policy == Task.WithdrawnPolicy.HIDDEN:
        runs = [run for run in runs if not run.is_withdrawn]
    files, with_waiting_file, with_failed_file = files_of(runs, test_sets, chosen, profile_version)
    waiting = {run.pk for run in runs if not run.is_final} | with_waiting_file
    failed = {run.pk for run in runs if run.state == Run.State.FAILED} | with_failed_file
    inputs = Inputs(
        phase=phase,
        track=track,
        ranking=ranking,
        test_sets=test_sets,
        gold=chosen,
        profile_version=profile_version,
        entries=[
            RankingEntry(run=run, files=files[run.pk]) for run in runs if run.pk not in waiting | failed
        ],
        under_way=[run.public_id for run in runs if run.pk in waiting],
        failed=[run.public_id for run in runs if run.pk in failed - waiting],
    )
    metric = main_metrics(phase.task, track)[0]
    if ranking == Standing.Ranking.BEST:
        return only_best(inputs, metric, presentation_of(phase.task, metric))
    if ranks_best_of_each_system(phase):
        return best_of_each_system(inputs, metric, presentation_of(phase.task, metric))
    return inputs


def phase_by(phase: Phase, profile_version: str) -> Phase:
    """With the task as if this version were in force: other metrics may be the main ones."""
    task = task_by(phase.task, profile_version)
    if task is phase.task:
        return phase
    changed = copy(phase)
    changed.task = task
    return changed


def compared_test_sets(phase: Phase, *, at: datetime) -> TestSetQuerySet:
    """The same test sets as those a run is checked for: nobody can upload one before its input is released.

    Software is also run on inputs that are not released.
    """
    released = phase.test_sets.with_released_inputs(at=at)
    if not phase.software:
        return released
    by_software = RunFile.objects.filter(run__phase=phase, run__origin=Run.Origin.SOFTWARE)
    return phase.test_sets.filter(Q(pk__in=released.values("pk")) | Q(pk__in=by_software.values("test_set")))


def files_of(
    runs: Sequence[Run],
    test_sets: Sequence[TestSet],
    gold: Mapping[int, GoldVersion],
    profile_version: str,
) -> tuple[Mapping[int, dict[str, FileInput]], set[int], set[int]]:
    """The files of each run by code; the runs that wait for a score; the runs with a score that failed."""
    codes = {test_set.pk: test_set.code for test_set in test_sets}
    versions = {version.pk for version in gold.values()}
    scores = {
        file: (state, units, public_id, signature)
        for file, state, units, public_id, signature in Score.objects.filter(
            file__run__in=runs, gold__in=versions, profile_version=profile_version
        ).values_list("file", "state", "units", "public_id", "signature")
    }
    files: dict[int, dict[str, FileInput]] = defaultdict(dict)
    waiting: set[int] = set()
    failed: set[int] = set()
    rows = RunFile.objects.filter(run__in=runs, test_set__in=codes).order_by("pk")
    for pk, run, test_set, state in rows.values_list("pk", "run", "test_set", "state"):
        if state != RunFile.State.VALID:
            files[run][codes[test_set]] = FileInput(state=state)
        elif pk not in scores or scores[pk][0] == Score.State.WAITING:
            waiting.add(run)
        elif scores[pk][0] == Score.State.FAILED:
            failed.add(run)
        else:
            _, units, public_id, signature = scores[pk]
            files[run][codes[test_set]] = FileInput(
                state=state, units=units, score=public_id, signature=signature
            )
    return files, waiting, failed
