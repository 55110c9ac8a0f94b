"""What a series consists of: its runs by size and sample, the runs to be placed on its curve, and gold.

In: a system and a phase. Out: `Series`, with a hash of everything that its analysis depends on. A run counts
once it is scored, unless it was withdrawn or rejected. Of two runs for the same sample the last one counts.

Whatever makes the runs of a series, a team or the server (`training/`), only declares them: the size and the
sample of a run are all that is known here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from django.db.models import Exists, OuterRef

from sharedtask.analysis.analyse import released
from sharedtask.competition.models import GoldVersion, Phase, TestSet
from sharedtask.competition.tracks import track_codes
from sharedtask.competition.treebanks import format_of
from sharedtask.curves.models import SeriesAnalysis
from sharedtask.submissions.models import Run, Score
from sharedtask.submissions.official import all_official_runs
from sharedtask.teams.models import System
from sharedtask.work.dispatch import Key

FORMAT = 5
"""Analyses of another version of the software are repeated."""
MAX_PLACED = 100


@dataclass(frozen=True, kw_only=True)
class Series:
    system: System
    phase: Phase
    samples: Mapping[int, Mapping[int, Run]]
    """By size, growing, and number of the sample."""
    placed: tuple[Run, ...]
    gold: tuple[GoldVersion, ...]
    outputs: Mapping[tuple[int, int], str]
    """By the keys of gold and run, the name of the file in storage."""

    @property
    def runs(self) -> list[Run]:
        return [run for of_size in self.samples.values() for run in of_size.values()]

    @property
    def inputs(self) -> str:
        samples = [(s, n, run.pk) for s, of_size in self.samples.items() for n, run in of_size.items()]
        outputs = sorted((gold, run, name) for (gold, run), name in self.outputs.items())
        content = [FORMAT, samples, [run.pk for run in self.placed], [g.pk for g in self.gold], outputs]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def systems_with_series(keys: Collection[Key] | None = None) -> Iterator[tuple[System, Phase]]:
    """Every system, or each of some, and phase with a run that is declared as part of a series, or once was.

    A series whose runs are still being scored is left out: the last of them asks for its analysis.
    """
    declared = Run.objects.filter(training_size__isnull=False)
    here = declared.filter(system=OuterRef("system"), phase=OuterRef("phase"))
    scored = declared.filter(~Exists(here.exclude(state__in=Run.FINAL)))
    abandoned = SeriesAnalysis.objects.exclude(runs=[]).filter(~Exists(here))
    pairs: set[tuple[int, int]] = set()
    for rows in (scored, abandoned):
        of_keys = rows if keys is None else rows.filter(system__in=[int(key) for key in keys])
        pairs.update(of_keys.order_by().values_list("system", "phase").distinct())
    systems = System.objects.in_bulk({system for system, _ in pairs})
    phases = Phase.objects.select_related("task").in_bulk({phase for _, phase in pairs})
    return ((systems[system], phases[phase]) for system, phase in sorted(pairs))


def find_series(system: System, phase: Phase) -> Series:
    samples = declared_samples(system, phase)
    tracks = {run.track for of_size in samples.values() for run in of_size.values()}
    placed = runs_to_place(phase, tracks)
    in_force = TestSet.objects.filter(phases=phase).values("gold_in_force")
    gold = released().filter(pk__in=in_force).select_related("test_set__task")
    versions = tuple(gold.order_by("test_set__position", "test_set__code"))
    runs = [run for of_size in samples.values() for run in of_size.values()]
    rows = (
        Score.objects.done()
        .filter(gold__in=versions, file__run__in=[*runs, *placed], profile_version=phase.task.profile_version)
        .exclude(file__output="")
        .values_list("gold", "file__run", "file__output")
    )
    return Series(
        system=system,
        phase=phase,
        samples=samples,
        placed=placed,
        gold=versions,
        outputs={(version, run): output for version, run, output in rows},
    )


def declared_samples(system: System, phase: Phase) -> dict[int, dict[int, Run]]:
    """Of the track of the last run: figures of different tracks are not those of one series."""
    scored = Run.objects.filter(
        system=system, phase=phase, training_size__isnull=False, state=Run.State.SCORED
    )
    runs = scored.counting().filter(track__in=tracks_with_trees(phase))
    last = runs.order_by("received_at", "number").last()
    samples: dict[int, dict[int, Run]] = {}
    if last is None:
        return samples
    runs = runs.in_track(last.track).order_by("training_size", "training_sample", "received_at", "number")
    for run in runs:
        assert run.training_size is not None and run.training_sample is not None
        samples.setdefault(run.training_size, {})[run.training_sample] = run
    return samples


def runs_to_place(phase: Phase, tracks: Collection[str]) -> tuple[Run, ...]:
    """The official run of each team and the latest of each system, none of them part of a series.

    Of the track of the series: systems of other tracks get other inputs.
    """
    official = {selection.run.pk for selection in all_official_runs(phase)}
    latest = set(Run.objects.latest_scored_of_each_system(phase).values_list("pk", flat=True))
    runs = Run.objects.filter(pk__in=official | latest, state=Run.State.SCORED, track__in=tracks)
    return tuple(runs.order_by("received_at", "number")[:MAX_PLACED])


def tracks_with_trees(phase: Phase) -> list[str]:
    """The empty code in a task without tracks."""
    return [code for code in track_codes(phase) if format_of(phase.task, code).trees]
