"""Score: one valid file is compared with one version of gold. The only step that opens gold.

In: a claimed score and its file. Out: `FileScore`, integer counts for every metric of the task's profile, in
total and per unit of resampling, not yet stored. A file that is valid against the raw text but cannot be
compared with gold points to an error in the test set: the message may quote gold and goes to organisers only.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import evaluation
from evaluation.scoring.counts import resampling_unit, tallies
from evaluation.signature import signature
from sharedtask.core.errors import ConfidentialFailure
from sharedtask.core.limits import reading_limits
from sharedtask.submissions import gold_cache
from sharedtask.submissions.gold_cache import open_gold
from sharedtask.submissions.models import Score


@dataclass(frozen=True, kw_only=True)
class FileScore:
    counts: dict[str, dict[str, int | None]]
    """`aligned` is None for metrics that do not depend on the alignment."""
    by_unit: evaluation.Counts
    signature: str
    duration_seconds: float


def score_file(score: Score, output: Path) -> FileScore:
    started = time.monotonic()
    file, task = score.file, score.file.run.task
    try:
        gold = open_gold(score.gold)
        system = evaluation.read(output, limits=reading_limits())
        comparison = evaluation.compare(gold, system, task.profile)
    except MemoryError:
        # Free the memory for the next attempt. The team is not notified: the shortage depends on gold.
        gold_cache.clear()
        raise
    except evaluation.InvalidFile as error:
        raise ConfidentialFailure(
            f"{file.test_set.code}: valid against the raw text, but not comparable with gold: {error}"
        ) from error
    unit = resampling_unit(gold, task.resampling_unit)  # type: ignore[arg-type]
    return FileScore(
        counts={
            name: {
                "gold": tally.gold,
                "system": tally.system,
                "correct": tally.correct,
                "aligned": tally.aligned,
            }
            for name, tally in tallies(comparison).items()
        },
        by_unit=evaluation.counts_by_unit(comparison, unit),
        signature=signature(
            profile=task.profile, options=comparison.options, gold_sha256=comparison.gold.sha256
        ),
        duration_seconds=time.monotonic() - started,
    )
