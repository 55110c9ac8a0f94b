"""One test set of a large standing: computed by any worker, and kept for this standing and for later ones.

In: the files of a test set. Out: its `SetFigures` and its `SetSums`, in storage. Figures are kept by
everything that they depend on: a worker that dies loses one test set. Sums are kept by test set, one file for
all runs of a ranking: when a run is new, only its own are resampled. Both are sealed like the counts that
they are made of, and the sweep removes the oldest of them beyond `KEPT_FIGURES_BYTES`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from django.conf import settings

import evaluation
from evaluation.packing import pack, unpack
from evaluation.ranking.pairs import Pairs
from evaluation.ranking.places import Places
from evaluation.ranking.results import EVERYTHING, GoldSet, Outcome, Results
from evaluation.ranking.set_sums import SetSums, make_set_sums
from evaluation.ranking.single_set import SetFigures, set_figures
from evaluation.ranking.sums_store import SumsStore
from sharedtask.competition.metrics import main_metrics
from sharedtask.competition.models import Phase, StandingRequest
from sharedtask.core import sealing, storage
from sharedtask.standings.entries import FileInput, Inputs, rules_of
from sharedtask.standings.models import StandingPart
from sharedtask.standings.results import read_outcome, results_of, rules_for

FOLDER = "progress"
FIGURES, SUMS = "set-", "sums-"
FORMAT, SUMS_FORMAT = "set figures 1", "kept sums 1"
RULES = ("profile", "extra", "verbs", "main", "baselines_ranked", "unit", "replicates", "seed", "test")
"""The others are about averages."""
LARGE = 2e8
"""Comparisons from which a standing is large: 45 systems on 100 test sets with 1,000 replicates."""
PARALLEL_READS = 4
"""Files that are read at the same time: object storage answers slowly, but many requests at once."""


def is_large(inputs: Inputs) -> bool:
    """Whether it takes so long that its parts are worth a file each."""
    systems = sum(not entry.is_withdrawn for entry in inputs.entries)
    return systems**2 * len(inputs.test_sets) * inputs.phase.task.replicates >= LARGE


@dataclass(frozen=True, kw_only=True)
class SetInputs:
    """What the figures of a test set depend on: the valid files of the ranked systems, by run."""

    phase: Phase
    track: str
    ranking: str
    code: str
    gold: str
    """The hash of the version in force, or of the one that is tried out."""
    profile_version: str
    files: Mapping[str, FileInput]
    baselines: Sequence[str]

    @cached_property
    def name(self) -> str:
        """Of the figures in storage."""
        files = sorted([run, run in self.baselines, label_of(file)] for run, file in self.files.items())
        return f"{FOLDER}/{FIGURES}{self._hash([Places.FORMAT, Pairs.FORMAT, files])}"

    @cached_property
    def sums_name(self) -> str:
        """Of the sums in storage, which do not depend on the choice of runs."""
        return f"{FOLDER}/{SUMS}{self._hash([SetSums.FORMAT, self.phase.pk, self.ranking])}"

    @property
    def main(self) -> Sequence[str]:
        return main_metrics(self.phase.task, self.track)

    def results(self, systems: Mapping[str, Outcome]) -> Results:
        outcomes = {run: {self.code: outcome} for run, outcome in systems.items()}
        return results_of(self.phase.task, self.track, [GoldSet(code=self.code)], outcomes)

    def _hash(self, depends_on: Sequence[Any]) -> str:
        rules = rules_of(self.phase.task, self.track)
        chosen = [rules[name] for name in RULES] + [rules.get("track"), rules.get("metrics")]
        common = [evaluation.VERSION, chosen, self.profile_version, self.code, self.gold]
        return hashlib.sha256(json.dumps([common, depends_on], sort_keys=True).encode()).hexdigest()


def label_of(file: FileInput) -> str:
    """What a file and its score are known by."""
    return f"{file.score} {file.signature}"


def set_inputs(inputs: Inputs, code: str) -> SetInputs:
    (test_set,) = (test_set for test_set in inputs.test_sets if test_set.code == code)
    ranked = [entry for entry in inputs.entries if not entry.is_withdrawn]
    files = {entry.run.public_id: file for entry in ranked if (file := entry.files.get(code)) and file.units}
    return SetInputs(
        phase=inputs.phase,
        track=inputs.track,
        ranking=inputs.ranking,
        code=code,
        gold=inputs.sha256_of_gold(test_set),
        profile_version=inputs.profile_version,
        files=files,
        baselines=[entry.run.public_id for entry in ranked if entry.run.team.is_baseline],
    )


@dataclass(frozen=True, kw_only=True)
class StoredSums:
    """`labels` by run; `figures` is the name of the figures that were computed from these sums."""

    labels: Mapping[str, str]
    sums: SetSums
    figures: str = ""

    def of_unchanged(self, files: Mapping[str, FileInput]) -> SetSums | None:
        """Of the runs whose files are the same."""
        runs = {run for run, file in files.items() if self.labels.get(run) == label_of(file)}
        return self.sums.of_systems(runs) if runs else None


def compute_part(part: SetInputs) -> SetFigures:
    """The figures of the test set; they and the sums are in storage afterwards."""
    stored = read_sums(part.sums_name)
    known = stored.of_unchanged(part.files) if stored else None
    sums = complete(part, known)
    results = part.results(outcomes(part, needs_counts=sums.averaging != "figures"))
    results.remember(part.code, sums.units, sums.plain())
    pairs, intervals = None, {}
    if stored is not None and known is not None and (earlier := read_figures(stored.figures)):
        pairs = earlier.pairs.among(known.systems)
        intervals = {EVERYTHING: earlier.places.intervals_of(known.systems, results.metrics)}
    store = SumsStore(intervals)
    store.write(part.code, sums)
    rules = rules_for(part.phase.task, part.baselines, replicates=part.phase.task.replicates)
    figures = set_figures(results, rules, part.code, part.main, store, pairs)
    store_figures(part.name, figures)
    labels = {run: label_of(file) for run, file in part.files.items()}
    store_sums(part.sums_name, StoredSums(labels=labels, sums=sums, figures=part.name))
    return figures


def complete(part: SetInputs, known: SetSums | None) -> SetSums:
    """The sums of all files; those that are not known are made from their counts."""
    new = [run for run in part.files if known is None or run not in known.systems]
    if known is not None and not new:
        return known
    results = part.results(outcomes(part, needs_counts=True, runs=new))
    task = part.phase.task
    sums = make_set_sums(results, part.code, results.metrics, replicates=task.replicates, seed=task.seed)
    assert sums is not None, "every file of a part is valid"
    if known is None:
        return sums
    if known.units != sums.units:
        raise ValueError(f"the runs were scored against different gold files on {part.code}")
    return known.joined(sums)


def outcomes(part: SetInputs, *, needs_counts: bool, runs: Iterable[str] | None = None) -> dict[str, Outcome]:
    chosen = list(part.files if runs is None else runs)
    if not needs_counts:
        return {run: Outcome(status="valid") for run in chosen}
    with ThreadPoolExecutor(PARALLEL_READS) as pool:
        units = [part.files[run].units for run in chosen]
        return dict(zip(chosen, pool.map(lambda name: read_outcome("valid", name), units), strict=True))


class StoredSumsStore(SumsStore):
    """The sums of all test sets of a large standing, one at a time in memory."""

    def __init__(self, parts: Mapping[str, SetInputs], results: Results) -> None:
        super().__init__()
        self._parts, self._results = parts, results

    def has(self, code: str) -> bool:
        """What has been removed meanwhile is made again when it is read."""
        return True

    def read(self, code: str) -> SetSums | None:
        part = self._parts[code]
        if not part.files:
            return None
        stored = read_sums(part.sums_name)
        sums = complete(part, stored.of_unchanged(part.files) if stored else None)
        self._results.remember(code, sums.units, sums.plain())
        return sums


def read_figures(name: str) -> SetFigures | None:
    """None if there is nothing, or if it was written by another version."""
    try:
        arrays, _ = unpack(FORMAT, sealing.unseal(storage.read(name)))
        return SetFigures(
            places=Places.from_bytes(arrays["places"].tobytes()),
            pairs=Pairs.from_bytes(arrays["pairs"].tobytes()),
        )
    except (FileNotFoundError, sealing.DamagedSeal, ValueError):
        return None


def store_figures(name: str, figures: SetFigures) -> None:
    parts = {"places": figures.places.to_bytes(), "pairs": figures.pairs.to_bytes()}
    arrays = {part: np.frombuffer(content, dtype=np.uint8) for part, content in parts.items()}
    storage.store(name, [sealing.seal(pack(FORMAT, arrays, {}, compress=False))])


def read_sums(name: str) -> StoredSums | None:
    try:
        arrays, strings = unpack(SUMS_FORMAT, sealing.unseal(storage.read(name)))
        sums = SetSums.from_bytes(arrays["sums"].data)
        labels = dict(zip(sums.systems, strings["labels"], strict=True))
        return StoredSums(labels=labels, sums=sums, figures=strings["figures"])
    except (FileNotFoundError, sealing.DamagedSeal, ValueError):
        return None


def store_sums(name: str, stored: StoredSums) -> None:
    arrays = {"sums": np.frombuffer(stored.sums.to_bytes(), dtype=np.uint8)}
    strings: dict[str, Any] = {
        "labels": [stored.labels[run] for run in stored.sums.systems],
        "figures": stored.figures,
    }
    storage.store(name, [sealing.seal(pack(SUMS_FORMAT, arrays, strings, compress=False))])


def beyond_budget(entries: Iterable[storage.StoredEntry]) -> list[str]:
    """The names of the oldest, as many as exceed the budget; sums first, because a standing needs figures.

    None while a large standing is computed: its test sets would be computed again and again.
    """
    has_begun = StandingRequest.objects.filter(failed_at=None).exclude(progress="")
    if StandingPart.objects.exists() or has_begun.exists():
        return []
    left, names = settings.KEPT_FIGURES_BYTES, []
    by_worth = sorted(
        entries,
        key=lambda entry: (entry.name.startswith(f"{FOLDER}/{FIGURES}"), entry.modified_at),
        reverse=True,
    )
    for entry in by_worth:
        left -= entry.size
        if left < 0:
            names.append(entry.name)
    return names
