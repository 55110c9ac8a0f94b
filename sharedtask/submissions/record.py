"""Record results together with the new state, on condition that the row is still in the expected state.

In: the results of the steps. Out: rows, and whether anything changed. Every function here may run twice, or
after another worker has done the same work: the second time its conditional UPDATE matches no row. Nothing
here sends a message, notifies anybody or decides what comes next: `workflow.py` does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import evaluation
from sharedtask.core.errors import Refusal
from sharedtask.scorers.find import find_scorer
from sharedtask.submissions import profile_version, unit_counts
from sharedtask.submissions.models import Run, RunFile, Score
from sharedtask.submissions.outputs import Output, expected_test_sets
from sharedtask.submissions.score import FileScore
from sharedtask.work.failure import Failure, printable
from sharedtask.work.lease import released

MAX_QUOTE_LENGTH = 200
MAX_MESSAGE_LENGTH = 1000


def record_files(run: Run, outputs: Mapping[str, Output]) -> None:
    """One row per test set. Files in the upload, and those an amended run inherits, wait for their check."""
    earlier_files = run.amends.files.select_related("taken_from") if run.amends else []
    inherited = {file.test_set_id: file for file in earlier_files}
    rows = []
    for test_set in expected_test_sets(run):
        row = RunFile(run=run, test_set=test_set, state=RunFile.State.MISSING)
        output, earlier = outputs.get(test_set.code), inherited.get(test_set.pk)
        if output is None and earlier is not None and earlier.output:
            output = Output(name=earlier.output, size_bytes=earlier.size_bytes, sha256=earlier.sha256)
            # The file of the original run, however long the chain of amendments.
            row.taken_from = earlier.taken_from or earlier
        if output is not None:
            row.state = RunFile.State.WAITING
            row.output, row.size_bytes, row.sha256 = output.name, output.size_bytes, output.sha256
        rows.append(row)
    RunFile.objects.bulk_create(rows, ignore_conflicts=True)


def record_verdict(file: RunFile, report: evaluation.Report) -> None:
    RunFile.objects.filter(pk=file.pk, state=RunFile.State.WAITING).update(
        state=RunFile.State.VALID if report.valid else RunFile.State.INVALID,
        incidents=[incident_as_json(incident) for incident in report.incidents],
        incident_counts=dict(report.counts),
    )


def record_refusal(run: Run, refusal: Refusal, *, at: datetime) -> bool:
    # A refused archive uses quota only if one of its files has already been checked.
    uses_quota = run.files.exclude(state__in=[RunFile.State.WAITING, RunFile.State.MISSING]).exists()
    checking = Run.objects.filter(pk=run.pk, state=Run.State.CHECKING)
    refused = checking.update(
        state=Run.State.REFUSED,
        refusal={
            "id": refusal.id,
            "message": printable(refusal.message, longest=MAX_MESSAGE_LENGTH),
            "found": printable(refusal.found, longest=MAX_QUOTE_LENGTH),
            "expected": printable(refusal.expected, longest=MAX_MESSAGE_LENGTH),
        },
        finished_at=at,
        uses_quota=uses_quota,
        **released(),
    )
    return bool(refused)


def record_checked(run: Run, *, at: datetime) -> bool:
    """Call it when all files have a verdict."""
    checking = Run.objects.filter(pk=run.pk, state=Run.State.CHECKING)
    return bool(checking.update(state=Run.State.SCORING, checked_at=at, **released()))


def create_scores(run: Run, *, at: datetime) -> list[Score]:
    """One per valid file that has gold; the others are scored when their gold is added."""
    valid = run.files.filter(state=RunFile.State.VALID).select_related("test_set__gold_in_force")
    pairs = [(file, gold) for file in valid if (gold := file.test_set.gold_in_force) is not None]
    version = profile_version.in_force(run.task)
    scorer = find_scorer(run.task, version)
    return Score.objects.bulk_create(
        Score(file=file, gold=gold, profile_version=version, scorer=scorer, dispatched_at=at)
        for file, gold in pairs
    )


def lock_scoring_runs(runs: Iterable[Run]) -> list[Run]:
    """Return the runs that are being scored, and lock their rows until the end of the transaction.

    Runs are written before scores, and always in the same order, so that two workers that finish the last two
    scores of a run wait for each other, and the second one sees that all scores are done.
    """
    in_order = sorted(runs, key=lambda run: run.pk)
    return [run for run in in_order if lock_if_scoring(run)]


def lock_if_scoring(run: Run) -> bool:
    """Lock the row by writing to it. The values stay the same, because a run in this state has no lease."""
    return bool(Run.objects.filter(pk=run.pk, state=Run.State.SCORING).update(**released()))


def record_score(score: Score, result: FileScore, *, at: datetime) -> None:
    Score.objects.filter(pk=score.pk, state=Score.State.WAITING).update(
        state=Score.State.SCORED,
        counts=result.counts,
        reference=result.reference,
        by_reference=result.by_reference,
        units=unit_counts.name_of(score),
        signature=result.signature,
        duration_seconds=result.duration_seconds,
        finished_at=at,
        **released(),
    )


def record_finished(run: Run, *, at: datetime) -> bool:
    """Unless a score of the run is still to come. Call it in a transaction that has locked the run."""
    if Score.objects.filter(file__run=run, state=Score.State.WAITING).in_force().exists():
        return False
    Run.objects.filter(pk=run.pk, state=Run.State.SCORING).update(state=Run.State.SCORED, finished_at=at)
    return True


def record_failed_check(run: Run, failure: Failure, *, at: datetime) -> bool:
    """The team may have to upload again, so the run uses no quota."""
    return bool(
        Run.objects.waiting_for_a_check()
        .filter(pk=run.pk)
        .update(
            state=Run.State.FAILED,
            failure=failure.as_json(),
            finished_at=at,
            uses_quota=False,
            **released(),
        )
    )


def record_failed_score(
    score: Score, failure: Failure, *, at: datetime, gives_quota_back: bool = False
) -> bool:
    """Returns whether the run has failed with it.

    Usually a failure of scoring gives no quota back: the upload remains and is scored later, and a growing
    quota would reveal something that depends on gold.
    """
    # The run is written before its scores, as in `lock_scoring_runs`, to avoid deadlocks.
    scoring = Run.objects.filter(pk=score.file.run_id, state=Run.State.SCORING)
    run_failed = 0
    if score.is_in_force:
        changes = {"uses_quota": False} if gives_quota_back else {}
        run_failed = scoring.update(
            state=Run.State.FAILED, failure=failure.as_json(), finished_at=at, **changes
        )
    Score.objects.filter(pk=score.pk, state=Score.State.WAITING).update(
        state=Score.State.FAILED, failure=failure.as_json(), finished_at=at, **released()
    )
    return bool(run_failed)


def incident_as_json(incident: evaluation.Incident) -> dict[str, Any]:
    return {
        "id": incident.id,
        "line": incident.line,
        "sentence": incident.sentence,
        "found": printable(incident.found, longest=MAX_QUOTE_LENGTH),
        "expected": printable(incident.expected, longest=MAX_QUOTE_LENGTH),
        "title": incident.kind.title,
        "hint": printable(incident.hint, longest=500),
        "fatal": incident.fatal,
    }
