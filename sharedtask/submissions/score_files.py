"""What a worker does with one message of scoring: claim the files, score each, record them together.

In: public ids of scores. Out: rows. A file that fails is dealt with alone and the others go on. Nothing is
recorded before the last file is scored, so that all of them cost one transaction; whoever dies before has
lost a fraction of a second of work, and the files are handed out again one by one.
"""

from __future__ import annotations

from collections.abc import Sequence

from sharedtask.core import storage
from sharedtask.submissions import claim, failure, record, score
from sharedtask.work import heartbeat


def score_files(public_ids: Sequence[str]) -> None:
    claimed = claim.claim_scores(public_ids)
    if not claimed:
        return
    names = [one.file.output for one in claimed]
    with heartbeat.beating(*claimed), storage.fetched_ahead(names) as outputs:
        results = []
        for one, output in zip(claimed, outputs, strict=True):
            with failure.failures_of(one):
                results.append((one, score.score_file(one, output())))
        with failure.failures_of_recording([one for one, _ in results]):
            record.record_scores(results)
