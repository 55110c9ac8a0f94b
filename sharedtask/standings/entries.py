"""What goes into one standing, and a hash of it: the runs with their files, gold versions, rules.

The same inputs give the same standing, so that there is one standing per hash, which never changes; comparing
hashes shows whether the newest one is up to date, without opening gold.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import evaluation
from evaluation.ranking.details import Details
from sharedtask.competition.metrics import displayed_metrics, main_metrics
from sharedtask.competition.models import GoldVersion, Phase, Task, TestSet
from sharedtask.competition.tracks import NO_TRACK
from sharedtask.submissions.models import Run


@dataclass(frozen=True, kw_only=True)
class FileInput:
    """A file of a run. `units` names its counts in storage; it is empty for a missing or invalid file."""

    state: str
    units: str = ""
    score: str = ""
    signature: str = ""


@dataclass(frozen=True, kw_only=True)
class RankingEntry:
    run: Run
    files: Mapping[str, FileInput]
    """By the code of the test set."""

    @property
    def is_withdrawn(self) -> bool:
        return self.run.is_withdrawn


@dataclass(frozen=True, kw_only=True)
class Inputs:
    phase: Phase
    track: str
    """Empty in a task without tracks."""
    ranking: str
    test_sets: Sequence[TestSet]
    gold: Mapping[int, GoldVersion]
    """By the test set's key."""
    profile_version: str
    """Of the profile that made the scores."""
    entries: Sequence[RankingEntry]
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
            "rules": rules_of(task, self.track),
            "profile_version": self.profile_version,
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
        return version.combined_sha256 if version else ""


def rules_of(task: Task, track: str = NO_TRACK) -> dict[str, Any]:
    return {
        **({"track": track, "metrics": displayed_metrics(task, track)} if track else {}),
        "profile": task.profile,
        "extra": task.extra_metrics,
        "verbs": task.verbs,
        "main": main_metrics(task, track),
        "missing": task.missing_policy,
        "groups": task.groups,
        "baselines_ranked": task.baselines_ranked,
        "withdrawn": task.withdrawn_policy,
        "unit": task.resampling_unit,
        "replicates": task.replicates,
        "seed": task.seed,
        "test": task.significance_test,
    }
