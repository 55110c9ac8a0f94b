"""Step 7, record: results and state are written together, and only by whoever still finds the state before.

In: what the steps before found out. Out: rows. Every function here may run twice, or after another
worker has done the same work: the second time its conditional UPDATE finds nothing to change. The run's
row is written first in each transaction, so that two workers which finish the last two files of a run
wait for each other, and one of them sees that all is done.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone

import evaluation
from sharedtask import handout
from sharedtask.faults import TeamFault
from sharedtask.submissions.average import average
from sharedtask.submissions.models import Run, RunFile
from sharedtask.submissions.score import FileScore

LONGEST_QUOTE = 200


@dataclass(frozen=True, kw_only=True)
class Output:
    """A file of the archive, as it lies in storage."""

    name: str
    size_bytes: int


def record_refusal(run: Run, fault: TeamFault) -> None:
    refusal = {
        "id": fault.id,
        "message": printable(fault.message, longest=1000),
        "found": printable(fault.found),
        "expected": printable(fault.expected, longest=1000),
    }
    Run.objects.filter(pk=run.pk, state=Run.State.CHECKING).update(
        state=Run.State.REFUSED, refusal=refusal, claimed_until=None, finished_at=timezone.now()
    )


def record_files(run: Run, outputs: dict[str, Output]) -> None:
    """One row for every test set: what the archive has waits for its check, the rest is missing."""
    rows = []
    for test_set in run.task.test_sets.all():
        output = outputs.get(test_set.code)
        rows.append(
            RunFile(
                run=run,
                test_set=test_set,
                state=RunFile.State.WAITING if output else RunFile.State.MISSING,
                output=output.name if output else "",
                size_bytes=output.size_bytes if output else 0,
            )
        )
    RunFile.objects.bulk_create(rows, ignore_conflicts=True)


def record_verdict(file: RunFile, report: evaluation.Report) -> None:
    RunFile.objects.filter(pk=file.pk, state=RunFile.State.WAITING).update(
        state=RunFile.State.VALID if report.valid else RunFile.State.INVALID,
        incidents=[incident_as_json(incident) for incident in report.incidents],
        incident_counts=dict(report.counts),
    )


def record_checked(run: Run) -> None:
    """All files have a verdict: go on to scoring, or finish at once when no file can be scored."""
    with transaction.atomic():
        moved = Run.objects.filter(pk=run.pk, state=Run.State.CHECKING).update(
            state=Run.State.SCORING, claimed_until=None
        )
        if not moved:
            return
        valid = run.files.filter(state=RunFile.State.VALID)
        valid.update(handed_out_at=timezone.now())
        for public_id in valid.values_list("public_id", flat=True):
            handout.hand_out(handout.SCORE_FILE, public_id)
        finish_if_done(run)


def record_score(file: RunFile, score: FileScore) -> None:
    with transaction.atomic():
        # Writing the run's row first is what makes two finishing workers take turns.
        if not Run.objects.filter(pk=file.run_id, state=Run.State.SCORING).update(claimed_until=None):
            return
        RunFile.objects.filter(pk=file.pk, state=RunFile.State.VALID).update(
            state=RunFile.State.SCORED,
            counts=score.counts,
            signature=score.signature,
            claimed_until=None,
        )
        finish_if_done(file.run)


def finish_if_done(run: Run) -> None:
    """Called inside a transaction that holds the run's row."""
    files = list(run.files.select_related("test_set"))
    if all(file.is_done for file in files):
        Run.objects.filter(pk=run.pk, state=Run.State.SCORING).update(
            state=Run.State.SCORED, averages=average(run.task, files), finished_at=timezone.now()
        )


def incident_as_json(incident: evaluation.Incident) -> dict[str, Any]:
    return {
        "id": incident.id,
        "line": incident.line,
        "sentence": incident.sentence,
        "found": printable(incident.found),
        "expected": printable(incident.expected),
        "title": incident.kind.title,
        "hint": printable(incident.hint, longest=500),
        "fatal": incident.fatal,
    }


def printable(text: str, *, longest: int = LONGEST_QUOTE) -> str:
    """A quotation that any database takes: no NUL, no half of a surrogate pair, not endless."""
    text = text.replace("\0", "␀").encode("utf-8", "backslashreplace").decode("utf-8")
    return text if len(text) <= longest else text[: longest - 1] + "…"
