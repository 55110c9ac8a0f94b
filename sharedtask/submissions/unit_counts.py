"""Counts by unit of resampling, from which significance is computed: as secret as gold, so sealed too.

In: scores and their counts. Out: their names in storage; or, in a worker, the counts again.
"""

from __future__ import annotations

from collections.abc import Iterable

import evaluation
from sharedtask.core import sealing, storage
from sharedtask.submissions.models import Score


def name_of(score: Score) -> str:
    """Two workers that score the same file write the same counts to the same name."""
    return f"counts/{score.public_id}"


def keep(counts: Iterable[tuple[Score, evaluation.Counts]]) -> None:
    """All of them are durable when it returns."""
    storage.store_all({name_of(score): sealing.seal(one.to_bytes()) for score, one in counts})


def load(score: Score) -> evaluation.Counts:
    return evaluation.Counts.from_bytes(sealing.unseal(storage.read(score.units)))
