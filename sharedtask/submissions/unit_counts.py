"""Counts by unit of resampling, from which significance is computed: as secret as gold, so sealed too.

In: a score and its counts. Out: the name in storage; or, in a worker, the counts again.
"""

from __future__ import annotations

import evaluation
from sharedtask import sealing, storage
from sharedtask.submissions.models import Score


def keep(score: Score, counts: evaluation.Counts) -> str:
    """Two workers that score the same file write the same counts to the same name."""
    name = f"counts/{score.public_id}"
    storage.store(name, [sealing.seal(counts.to_bytes())])
    return name


def load(score: Score) -> evaluation.Counts:
    return evaluation.Counts.from_bytes(sealing.unseal(storage.read(score.units)))
