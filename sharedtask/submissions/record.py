"""Step 6, record: results and state are written together, and only by whoever still finds the state before.

In: what the steps before found out. Out: rows. Every function here may run twice, or after another
worker has done the same work: the second time its conditional UPDATE finds nothing to change. The run's
row is written first in each transaction, so that two workers which finish the last two scores of a run
wait for each other, and one of them sees that all is done.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

import evaluation
from sharedtask.competition.models import TestSet
from sharedtask.competition.request_standings import request_standings
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.submissions import notify, unit_counts
from sharedtask.submissions.dispatch_scores import hand_out_scores
from sharedtask.submissions.models import Run, RunFile, Score
from sharedtask.submissions.score import FileScore
from sharedtask.work import dispatch

LONGEST_QUOTE = 200


@dataclass(frozen=True, kw_only=True)
class Output:
    """A file of the archive, as it lies in storage."""

    name: str
    size_bytes: int
    sha256: str


def record_refusal(run: Run, refusal: Refusal) -> None:
    printed = {
        "id": refusal.id,
        "message": printable(refusal.message, longest=1000),
        "found": printable(refusal.found),
        "expected": printable(refusal.expected, longest=1000),
    }
    # An archive that is refused before any of its files is looked at costs no quota; it would otherwise.
    looked_at = run.files.exclude(state__in=[RunFile.State.WAITING, RunFile.State.MISSING]).exists()
    at = clock.database_now()
    with transaction.atomic():
        refused = Run.objects.filter(pk=run.pk, state=Run.State.CHECKING).update(
            state=Run.State.REFUSED,
            refusal=printed,
            claimed_until=None,
            finished_at=at,
            spends_quota=looked_at,
        )
        if refused:
            notify.tell_refused(run, at=at)


def sets_to_submit(run: Run) -> list[TestSet]:
    """Those of the phase whose input was out when the run arrived; no other name is known to the team."""
    return list(run.phase.test_sets.with_released_inputs(at=run.received_at))


def record_files(run: Run, outputs: dict[str, Output]) -> None:
    """One row for every test set: what the archive has, or an amended run inherits, waits for its check."""
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


def record_checked(run: Run) -> None:
    """All files have a verdict: go on to scoring, or finish at once when no file can be scored."""
    at = clock.database_now()
    with transaction.atomic():
        moved = Run.objects.filter(pk=run.pk, state=Run.State.CHECKING).update(
            state=Run.State.SCORING, claimed_until=None, checked_at=at
        )
        if not moved:
            return
        valid = run.files.filter(state=RunFile.State.VALID).select_related("test_set__gold_in_force")
        # Gold that is still to come is scored like corrected gold: when it is put in force.
        golds = [(file, gold) for file in valid if (gold := file.test_set.gold_in_force) is not None]
        scores = [Score(file=file, gold=gold, handed_out_at=at) for file, gold in golds]
        hand_out_scores(Score.objects.bulk_create(scores))
        dispatch.hand_out(dispatch.LOOK_OVER, run.public_id)
        notify.tell_checked(run, at=at)
        if finish_if_done(run):
            request_standings(run.phase_id, at=at)


def record_scores(results: Sequence[tuple[Score, FileScore]]) -> None:
    """A score of a run that is done already, after a gold fix say, changes nothing of the run."""
    unit_counts.keep((score, result.by_unit) for score, result in results)
    at = clock.database_now()
    runs = {score.file.run_id: score.file.run for score, _ in results}
    changed = set()
    with transaction.atomic():
        # Writing the runs' rows first, always in the same order, is what makes finishing workers take turns.
        scoring = [runs[pk] for pk in sorted(runs) if is_scoring(pk)]
        for score, result in results:
            record_score(score, result, at=at)
        for run in scoring:
            if finish_if_done(run):
                changed.add(run.phase_id)
        changed |= {run.phase_id for run in runs.values() if run not in scoring}
        for phase_id in sorted(changed):
            request_standings(phase_id, at=at)


def is_scoring(run_id: int) -> bool:
    """If so, the row is this transaction's until its end."""
    return bool(Run.objects.filter(pk=run_id, state=Run.State.SCORING).update(claimed_until=None))


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


def finish_if_done(run: Run) -> bool:
    """Called inside a transaction that holds the run's row; whoever calls it asks for standings."""
    if Score.objects.filter(file__run=run, state=Score.State.WAITING).in_force().exists():
        return False
    at = clock.database_now()
    Run.objects.filter(pk=run.pk, state=Run.State.SCORING).update(state=Run.State.SCORED, finished_at=at)
    dispatch.hand_out(dispatch.ANALYSE_RUN, run.public_id)
    dispatch.hand_out(dispatch.LOOK_OVER, run.public_id)
    return True


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
