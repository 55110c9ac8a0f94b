"""Recording: results and state are written together, and only by whoever still finds the state before.

In: what the steps have found out. Out: rows, and whether anything changed. Every function here may run twice,
or after another worker has done the same work: the second time its conditional UPDATE finds nothing to
change. Nothing here sends a message, notifies anybody or decides what comes next: `workflow.py` does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import evaluation
from sharedtask.core.errors import Refusal
from sharedtask.submissions import unit_counts
from sharedtask.submissions.models import Run, RunFile, Score
from sharedtask.submissions.outputs import Output, sets_to_submit
from sharedtask.submissions.score import FileScore
from sharedtask.work.failure import Failure, printable

LONGEST_QUOTE = 200
LONGEST_MESSAGE = 1000


def record_files(run: Run, outputs: Mapping[str, Output]) -> None:
    """One row for every test set: what the run brings, or an amended run inherits, waits for its check."""
    earlier_files = run.amends.files.select_related("taken_from") if run.amends else []
    inherited = {file.test_set_id: file for file in earlier_files}
    rows = []
    for test_set in sets_to_submit(run):
        row = RunFile(run=run, test_set=test_set, state=RunFile.State.MISSING)
        output, earlier = outputs.get(test_set.code), inherited.get(test_set.pk)
        if output is None and earlier is not None and earlier.output:
            output = Output(name=earlier.output, size_bytes=earlier.size_bytes, sha256=earlier.sha256)
            # The run that the file first came with, however long the chain of amendments.
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
    # An archive that is refused before any of its files is looked at costs no quota; it would otherwise.
    spends_quota = run.files.exclude(state__in=[RunFile.State.WAITING, RunFile.State.MISSING]).exists()
    checking = Run.objects.filter(pk=run.pk, state=Run.State.CHECKING)
    refused = checking.update(
        state=Run.State.REFUSED,
        refusal={
            "id": refusal.id,
            "message": printable(refusal.message, longest=LONGEST_MESSAGE),
            "found": printable(refusal.found, longest=LONGEST_QUOTE),
            "expected": printable(refusal.expected, longest=LONGEST_MESSAGE),
        },
        claimed_until=None,
        finished_at=at,
        spends_quota=spends_quota,
    )
    return bool(refused)


def record_checked(run: Run, *, at: datetime) -> bool:
    """All files have a verdict."""
    checking = Run.objects.filter(pk=run.pk, state=Run.State.CHECKING)
    return bool(checking.update(state=Run.State.SCORING, claimed_until=None, checked_at=at))


def create_scores(run: Run, *, at: datetime) -> list[Score]:
    """One for each valid file whose gold is there; gold that is still to come is scored when it comes."""
    valid = run.files.filter(state=RunFile.State.VALID).select_related("test_set__gold_in_force")
    pairs = [(file, gold) for file in valid if (gold := file.test_set.gold_in_force) is not None]
    return Score.objects.bulk_create(Score(file=file, gold=gold, dispatched_at=at) for file, gold in pairs)


def lock_scoring_runs(runs: Iterable[Run]) -> list[Run]:
    """Those that are being scored; their rows are this transaction's until its end.

    The runs' rows are written before the scores', and always in the same order, so that two workers which
    finish the last two scores of a run wait for each other, and one of them sees that all is done.
    """
    in_order = sorted(runs, key=lambda run: run.pk)
    return [run for run in in_order if is_scoring(run)]


def is_scoring(run: Run) -> bool:
    return bool(Run.objects.filter(pk=run.pk, state=Run.State.SCORING).update(claimed_until=None))


def record_score(score: Score, result: FileScore, *, at: datetime) -> None:
    Score.objects.filter(pk=score.pk, state=Score.State.WAITING).update(
        state=Score.State.SCORED,
        counts=result.counts,
        units=unit_counts.name_of(score),
        signature=result.signature,
        duration_seconds=result.duration_seconds,
        finished_at=at,
        claimed_until=None,
    )


def record_finished(run: Run, *, at: datetime) -> bool:
    """If no score of the run is left to wait for. Call it in a transaction that holds the run's row."""
    if Score.objects.filter(file__run=run, state=Score.State.WAITING).in_force().exists():
        return False
    Run.objects.filter(pk=run.pk, state=Run.State.SCORING).update(state=Run.State.SCORED, finished_at=at)
    return True


def record_failed_check(run: Run, failure: Failure, *, at: datetime) -> bool:
    """The team may have to upload again, and does not pay for our failure."""
    return bool(
        Run.objects.waiting_for_a_check()
        .filter(pk=run.pk)
        .update(
            state=Run.State.FAILED,
            failure=failure.as_json(),
            claimed_until=None,
            finished_at=at,
            spends_quota=False,
        )
    )


def record_failed_score(score: Score, failure: Failure, *, at: datetime) -> bool:
    """Whether the run has failed with it.

    A failure of scoring gives no quota back: the upload stands and is scored later, and a quota that grows
    would reveal something that depends on gold.
    """
    # The run's row first, as above, so that nobody waits in a circle.
    scoring = Run.objects.filter(pk=score.file.run_id, state=Run.State.SCORING)
    run_failed = scoring.update(state=Run.State.FAILED, failure=failure.as_json(), finished_at=at)
    Score.objects.filter(pk=score.pk, state=Score.State.WAITING).update(
        state=Score.State.FAILED, failure=failure.as_json(), claimed_until=None, finished_at=at
    )
    return bool(run_failed)


def incident_as_json(incident: evaluation.Incident) -> dict[str, Any]:
    return {
        "id": incident.id,
        "line": incident.line,
        "sentence": incident.sentence,
        "found": printable(incident.found, longest=LONGEST_QUOTE),
        "expected": printable(incident.expected, longest=LONGEST_QUOTE),
        "title": incident.kind.title,
        "hint": printable(incident.hint, longest=500),
        "fatal": incident.fatal,
    }
