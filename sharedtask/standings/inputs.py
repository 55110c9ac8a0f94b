"""Everything that goes into one standing, read from the database, and a hash of it.

In: a phase, a ranking and the moment. Out: `Inputs`. The same inputs give the same standing, so that there is
one standing per hash, which never changes; comparing hashes shows whether the newest one is up to date,
without opening gold.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import evaluation
from evaluation.ranking.details import Details
from sharedtask.competition.metrics import main_metrics, presentation_of
from sharedtask.competition.models import GoldVersion, Phase, Task, TestSet
from sharedtask.standings.best import best_of_each_system, only_best
from sharedtask.standings.models import Standing
from sharedtask.standings.rankings import ranks_best_of_each_system, runs_of
from sharedtask.submissions.models import Run, RunFile, Score


@dataclass(frozen=True, kw_only=True)
class FileInput:
    """A file of a run. `units` names its counts in storage; it is empty for a missing or invalid file."""

    state: str
    units: str = ""
    score: str = ""
    signature: str = ""


@dataclass(frozen=True, kw_only=True)
class Entry:
    run: Run
    files: Mapping[str, FileInput]
    """By the code of the test set."""

    @property
    def is_withdrawn(self) -> bool:
        return self.run.is_withdrawn


@dataclass(frozen=True, kw_only=True)
class Inputs:
    phase: Phase
    ranking: str
    test_sets: Sequence[TestSet]
    gold: Mapping[int, GoldVersion]
    """By the test set's key."""
    entries: Sequence[Entry]
    under_way: Sequence[str]
    """Public ids of the runs with a file that is still to be scored."""
    failed: Sequence[str]
    """Public ids of the runs with a file that the server failed to score. They are not ranked until it is."""

    @property
    def is_public(self) -> bool:
        """Whether the hash of gold may be shown. The figures do not depend on it: see `signature.py`."""
        return all(version.is_released for version in self.gold.values())

    @property
    def sha256(self) -> str:
        return hashlib.sha256(json.dumps(self.as_json(), sort_keys=True).encode()).hexdigest()

    def as_json(self) -> dict[str, Any]:
        task = self.phase.task
        return {
            "evaluator": evaluation.VERSION,
            # With other figures than this version stores, a standing is computed again.
            "figures": Details.FORMAT,
            "rules": rules_of(task),
            "sets": [
                [
                    test_set.code,
                    sorted(test_set.groups),
                    test_set.language_tag,
                    self.sha256_of_gold(test_set),
                ]
                for test_set in self.test_sets
            ],
            "entries": sorted(
                [
                    entry.run.public_id,
                    entry.run.team.is_baseline,
                    entry.is_withdrawn,
                    sorted(
                        [code, file.state, file.score, file.signature] for code, file in entry.files.items()
                    ),
                ]
                for entry in self.entries
            ),
            "failed": sorted(self.failed),
        }

    def sha256_of_gold(self, test_set: TestSet) -> str:
        version = self.gold.get(test_set.pk)
        return version.sha256 if version else ""


def rules_of(task: Task) -> dict[str, Any]:
    return {
        "profile": task.profile,
        "main": main_metrics(task),
        "missing": task.missing_policy,
        "groups": task.groups,
        "baselines_ranked": task.baselines_ranked,
        "withdrawn": task.withdrawn_policy,
        "unit": task.resampling_unit,
        "replicates": task.replicates,
        "seed": task.seed,
    }


def gather(
    phase: Phase, ranking: str, *, at: datetime, gold: Mapping[int, GoldVersion] | None = None
) -> Inputs:
    """`gold` gives other versions than those in force, to see what a correction would change."""
    # The same test sets as those a run is checked for: nobody can submit a set before its input is released.
    released = phase.test_sets.with_released_inputs(at=at)
    test_sets = list(released.select_related("gold_in_force").order_by("code"))
    versions = {test_set.pk: test_set.gold_in_force for test_set in test_sets}
    versions |= {pk: version for pk, version in (gold or {}).items() if pk in versions}
    chosen = {pk: version for pk, version in versions.items() if version is not None}
    runs = runs_of(phase, ranking)
    if phase.task.withdrawn_policy == Task.WithdrawnPolicy.HIDDEN:
        runs = [run for run in runs if not run.is_withdrawn]
    files, with_waiting_file, with_failed_file = files_of(runs, test_sets, chosen)
    waiting = {run.pk for run in runs if not run.is_final} | with_waiting_file
    failed = {run.pk for run in runs if run.state == Run.State.FAILED} | with_failed_file
    inputs = Inputs(
        phase=phase,
        ranking=ranking,
        test_sets=test_sets,
        gold=chosen,
        entries=[Entry(run=run, files=files[run.pk]) for run in runs if run.pk not in waiting | failed],
        under_way=[run.public_id for run in runs if run.pk in waiting],
        failed=[run.public_id for run in runs if run.pk in failed - waiting],
    )
    metric = main_metrics(phase.task)[0]
    if ranking == Standing.Ranking.BEST:
        return only_best(inputs, metric, presentation_of(phase.task, metric))
    if ranks_best_of_each_system(phase):
        return best_of_each_system(inputs, metric, presentation_of(phase.task, metric))
    return inputs


def files_of(
    runs: Sequence[Run], test_sets: Sequence[TestSet], gold: Mapping[int, GoldVersion]
) -> tuple[Mapping[int, dict[str, FileInput]], set[int], set[int]]:
    """The files of each run by code; the runs that wait for a score; the runs with a score that failed."""
    codes = {test_set.pk: test_set.code for test_set in test_sets}
    versions = {version.pk for version in gold.values()}
    scores = {
        file: (state, units, public_id, signature)
        for file, state, units, public_id, signature in Score.objects.filter(
            file__run__in=runs, gold__in=versions
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
