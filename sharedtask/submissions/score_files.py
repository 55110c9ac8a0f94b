"""What a worker does with one message of scoring: claim the files, score each, record them together.

In: public ids of scores. Out: rows. A file that fails is dealt with alone and the others go on. Nothing is
recorded before the last file is scored, so that all of them cost one transaction; whoever dies before has
lost a fraction of a second of work, and the files are handed out again one by one.
"""

from __future__ import annotations

from collections.abc import Sequence

from sharedtask.submissions import claim, failure, heartbeat, record, score


def score_files(public_ids: Sequence[str]) -> None:
    claimed = claim.claim_scores(public_ids)
    if not claimed:
        return
    with heartbeat.beating(*claimed):
        results = []
        for one in claimed:
            with failure.failures_of(one):
                results.append((one, score.score_file(one)))
        with failure.failures_of_recording([one for one, _ in results]):
            record.record_scores(results)
