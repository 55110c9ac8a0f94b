"""Score: one valid file is compared with one version of gold. The only step that opens gold.

In: a claimed score and its file. Out: `FileScore`, integer counts for every metric of the task or the track,
in total and per unit of resampling, not yet stored. A file that is valid against the input but cannot be
compared with gold points to an error in the test set: the message may quote gold and goes to organisers only.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import evaluation
from evaluation.scoring.counts import tallies
from evaluation.scoring.references import FIRST, ReferenceComparisons, compare_references, shared_unit
from evaluation.scoring.reported import Reported, add_reported, reported_figures, reported_tallies
from evaluation.scoring.score import figures_of
from evaluation.signature import signature
from sharedtask.competition.metrics import base_profile, metrics_of, options_of, own_main_metrics
from sharedtask.competition.models import Task
from sharedtask.competition.scorer import declaration_of, version_of_profile, with_scorer
from sharedtask.competition.treebanks import compare_files, read_file
from sharedtask.core.errors import ConfidentialFailure, ProfileFailure
from sharedtask.submissions import gold_cache
from sharedtask.submissions.gold_cache import open_references
from sharedtask.submissions.models import Score
from sharedtask.submissions.score_by_image import reported_counts

FileSums = dict[str, int | float | None]
"""The counts of a metric, where `aligned` is None if it does not depend on the alignment; or its figure."""


@dataclass(frozen=True, kw_only=True)
class FileScore:
    counts: dict[str, FileSums]
    by_unit: evaluation.Counts
    reference: str
    """The best of several references; empty if gold is one file."""
    by_reference: Mapping[str, Mapping[str, float]]
    """The figures against each of several references."""
    signature: str
    duration_seconds: float


def score_file(score: Score, output: Path) -> FileScore:
    with confidential_failures(score.file.test_set.code):
        refuse_other_version(score)
        return compute(score, output)


@contextmanager
def confidential_failures(code: str) -> Iterator[None]:
    """The team is not notified of what depends on gold: organisers read the message, with the test set."""
    try:
        yield
    except MemoryError:
        # For the next attempt.
        gold_cache.clear()
        raise
    except evaluation.InvalidFile as error:
        message = f"{code}: valid against the input, but not comparable with gold: {error}"
        raise ConfidentialFailure(message) from error
    except evaluation.ProfileError as error:
        raise ProfileFailure(f"{code}: {error}") from error


def compute(score: Score, output: Path) -> FileScore:
    started = time.monotonic()
    task, track = score.file.run.task, score.file.run.track
    golds = open_references(score.gold)
    compared = compare_file(task, golds, read_file(task, output, track=track), track)
    comparison = compared.comparisons[compared.best]
    reference = compared.best if len(golds) > 1 else ""
    unit = shared_unit(golds.values(), task.resampling_unit)  # type: ignore[arg-type]
    by_unit = evaluation.counts_by_unit(comparison, unit)
    counts = file_counts(comparison, by_unit)
    counts = {name: counts[name] for name in metrics_of(task, track) if name in counts}
    if score.scorer is not None:
        reported = reported_counts(score, output, comparison, unit, reference)
        by_unit = add_reported(by_unit, reported)
        counts |= reported_sums(score, reported)
    return FileScore(
        counts=counts,
        by_unit=by_unit,
        reference=reference,
        by_reference=compared.figures,
        signature=signature(
            profile=profile_by(score),
            options=comparison.options,
            gold_sha256=comparison.gold.sha256,
            **({"reference": reference} if reference else {}),
        ),
        duration_seconds=time.monotonic() - started,
    )


def compare_file(
    task: Task, golds: Mapping[str, evaluation.Treebank], system: evaluation.Treebank, track: str
) -> ReferenceComparisons:
    """With every reference; with figures only if there are several to choose from."""
    if len(golds) == 1:
        return ReferenceComparisons({FIRST: compare_files(task, golds[FIRST], system, track)}, {}, FIRST)
    main = own_main_metrics(task, track)
    return compare_references(golds, system, base_profile(task), options_of(task, track), main)


def refuse_other_version(score: Score) -> None:
    """A score names the version that made it, so that no other version may make it."""
    task = score.file.run.task
    installed, needed = base_profile(task).version, version_of_profile(score.profile_version)
    if installed != needed:
        raise evaluation.ProfileError(
            f"version {needed} of the profile {task.profile} is needed, and version "
            f"{installed} is installed; install the former, or put the latter in force on the page Profile"
        )


def profile_by(score: Score) -> evaluation.Profile:
    """That of the task, with the version of its scorer that makes the score."""
    base = base_profile(score.file.run.task)
    return with_scorer(base, score.scorer.entry) if score.scorer is not None else base


def reported_sums(score: Score, reported: Reported) -> dict[str, FileSums]:
    """Of the metrics of the scorer."""
    assert score.scorer is not None
    tallies_by_name = reported_tallies(reported)
    figures = reported_figures(reported, declaration_of(score.scorer.entry))
    return {name: sums_of(tally, tally.f1) for name, tally in tallies_by_name.items()} | {
        name: sums_of(None, figure) for name, figure in figures.items()
    }


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
