"""Send several scores to the workers in one message: scoring a small file is faster than handling a message.

In: waiting scores. Out: messages with at most `MAX_FILES` files of `MAX_BYTES` in total, about a tenth of a
second of work, so that all workers share in one run and its progress is visible. A score that has failed or
lost its worker before is sent alone, so that it does not affect others; so is one for which a scorer of
organisers is run, which takes seconds and needs a worker with an engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sharedtask.submissions.models import Score
from sharedtask.work import dispatch
from sharedtask.work.targets import SCORE_BY_IMAGE, SCORE_FILES

MAX_FILES = 8
MAX_BYTES = 8 * 1024 * 1024


def enqueue_scores(scores: Iterable[Score]) -> None:
    """The messages are sent when the current transaction commits."""
    waiting = list(scores)
    for batch in batches(score for score in waiting if score.scorer_id is None):
        dispatch.enqueue(SCORE_FILES, *[score.public_id for score in batch])
    for score in waiting:
        if score.scorer_id is not None:
            dispatch.enqueue(SCORE_BY_IMAGE, score.public_id)


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
