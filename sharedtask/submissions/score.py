"""Step 5, score: one valid file is compared with its gold file. The only step that opens gold.

In: a claimed file. Out: `FileScore`, integer counts for every metric of the task's profile. A file that
was valid against the raw text but cannot be compared with gold points to a fault in the test set: its
message may quote gold and goes to organisers only.
"""

from __future__ import annotations

from dataclasses import dataclass

import evaluation
from sharedtask import storage
from sharedtask.faults import ConfidentialFault
from sharedtask.limits import reading_limits
from sharedtask.submissions.models import RunFile


@dataclass(frozen=True, kw_only=True)
class FileScore:
    counts: dict[str, dict[str, int | None]]
    """`aligned` is None for metrics where alignment means nothing."""
    signature: str


def score_file(file: RunFile) -> FileScore:
    try:
        system = evaluation.read(storage.path_of(file.output), limits=reading_limits())
        score = evaluation.score(storage.path_of(file.test_set.gold), system, profile=file.run.task.profile)
    except evaluation.InvalidFile as error:
        raise ConfidentialFault(
            f"{file.test_set.code}: valid against the raw text, but not comparable with gold: {error}"
        ) from error
    return FileScore(
        counts={
            name: {
                "gold": metric.gold,
                "system": metric.system,
                "correct": metric.correct,
                "aligned": metric.aligned,
            }
            for name, metric in score.metrics.items()
        },
        signature=score.signature,
    )
