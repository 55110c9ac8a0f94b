"""Scores go to the workers several in one message: a small file is scored faster than a message is handled.

In: scores that wait. Out: messages that name at most `MAX_FILES` files and `MAX_BYTES` of them, about a tenth
of a second of work, so that all workers still share in one run and its progress is seen. What has failed or
lost its worker before goes alone, so that it does not take others with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sharedtask.submissions.models import Score
from sharedtask.work import dispatch
from sharedtask.work.targets import SCORE_FILES

MAX_FILES = 8
MAX_BYTES = 8 * 1024 * 1024


def enqueue_scores(scores: Iterable[Score]) -> None:
    """Sent when the current transaction is committed."""
    for batch in batches(scores):
        dispatch.enqueue(SCORE_FILES, *[score.public_id for score in batch])


def batches(scores: Iterable[Score]) -> Iterator[list[Score]]:
    batch: list[Score] = []
    size_bytes = 0
    for score in scores:
        if score.losses or score.attempts:
            yield [score]
            continue
        if batch and (len(batch) == MAX_FILES or size_bytes + score.file.size_bytes > MAX_BYTES):
            yield batch
            batch, size_bytes = [], 0
        batch.append(score)
        size_bytes += score.file.size_bytes
    if batch:
        yield batch
