"""Score: one valid file is compared with one version of gold. The only step that opens gold.

In: a claimed score and its file. Out: `FileScore`, integer counts for every metric of the task or the track,
in total and per unit of resampling, not yet stored. A file that is valid against the input but cannot be
compared with gold points to an error in the test set: the message may quote gold and goes to organisers only.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import evaluation
from evaluation.scoring.counts import resampling_unit, tallies
from evaluation.scoring.score import figures_of
from evaluation.signature import signature
from sharedtask.competition.metrics import metrics_of, profile_of
from sharedtask.competition.treebanks import compare_files, read_file
from sharedtask.core.errors import ConfidentialFailure, ProfileFailure
from sharedtask.submissions import gold_cache
from sharedtask.submissions.gold_cache import open_gold
from sharedtask.submissions.models import Score

FileSums = dict[str, int | float | None]
"""The counts of a metric, where `aligned` is None if it does not depend on the alignment; or its figure."""


@dataclass(frozen=True, kw_only=True)
class FileScore:
    counts: dict[str, FileSums]
    by_unit: evaluation.Counts
    signature: str
    duration_seconds: float


def score_file(score: Score, output: Path) -> FileScore:
    started = time.monotonic()
    file, task = score.file, score.file.run.task
    try:
        refuse_other_version(score)
        gold = open_gold(score.gold)
        track = file.run.track
        comparison = compare_files(task, gold, read_file(task, output, track=track), track)
        unit = resampling_unit(gold, task.resampling_unit)  # type: ignore[arg-type]
        by_unit = evaluation.counts_by_unit(comparison, unit)
        counts = file_counts(comparison, by_unit)
        counts = {name: counts[name] for name in metrics_of(task, track) if name in counts}
    except MemoryError:
        # Free the memory for the next attempt. The team is not notified: the shortage depends on gold.
        gold_cache.clear()
        raise
    except evaluation.InvalidFile as error:
        raise ConfidentialFailure(
            f"{file.test_set.code}: valid against the input, but not comparable with gold: {error}"
        ) from error
    except evaluation.ProfileError as error:
        raise ProfileFailure(f"{file.test_set.code}: {error}") from error
    return FileScore(
        counts=counts,
        by_unit=by_unit,
        signature=signature(
            profile=task.profile, options=comparison.options, gold_sha256=comparison.gold.sha256
        ),
        duration_seconds=time.monotonic() - started,
    )


def refuse_other_version(score: Score) -> None:
    """A score names the version that made it, so that no other version may make it."""
    task = score.file.run.task
    installed = profile_of(task).version
    if installed != score.profile_version:
        raise evaluation.ProfileError(
            f"version {score.profile_version} of the profile {task.profile} is needed, and version "
            f"{installed} is installed; install the former, or put the latter in force on the page Profile"
        )


def file_counts(comparison: evaluation.Comparison, by_unit: evaluation.Counts) -> dict[str, FileSums]:
    counts = tallies(comparison)
    figures = figures_of(comparison, counts, by_unit.tables)
    return {name: sums_of(counts.get(name), figure) for name, figure in figures.items()}


def sums_of(tally: evaluation.Tally | None, figure: float) -> FileSums:
    if tally is None:
        return {"figure": figure}
    return {
        "gold": tally.gold,
        "system": tally.system,
        "correct": tally.correct,
        "aligned": tally.aligned,
    }
