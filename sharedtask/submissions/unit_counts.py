"""Counts per unit of resampling, the basis of significance tests: as secret as gold, so sealed too.

In: scores and their counts. Out: sealed files in storage; in a worker, the counts read back.
"""

from __future__ import annotations

from collections.abc import Iterable

import evaluation
from sharedtask.core import sealing, storage
from sharedtask.submissions.models import Score


def name_of(score: Score) -> str:
    """The name in storage. Two workers that score the same file write the same counts to the same name."""
    return f"counts/{score.public_id}"


def store(counts: Iterable[tuple[Score, evaluation.Counts]]) -> None:
    """All counts are durable when it returns."""
    storage.store_all({name_of(score): sealing.seal(by_unit.to_bytes()) for score, by_unit in counts})


def load(score: Score) -> evaluation.Counts:
    return evaluation.Counts.from_bytes(sealing.unseal(storage.read(score.units)))
