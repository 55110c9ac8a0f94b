"""What happens to a run, from the upload to its scores. Read it from top to bottom.

received → checking → scoring → scored, or refused, or failed. Each step is a function in a module of its own
that returns a value and knows nothing about the next step. Only this module decides what comes next: what is
recorded together, who is notified, which messages go to the workers.

    upload_page, resumable → accept_upload   (the web process)
    kinds.CheckRun → check → finish_check
    kinds.ScoreFiles → score → finish_scores → finish_run
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from datetime import datetime

from django.db import transaction

from evaluation import Report
from sharedtask.competition.models import Phase
from sharedtask.competition.request_standings import request_standings
from sharedtask.core import clock, logs, storage
from sharedtask.core.errors import ConfidentialFailure, ProfileFailure, Refusal
from sharedtask.submissions import accept, messages, notify, outputs, record, run_access, unit_counts
from sharedtask.submissions import check as checking
from sharedtask.submissions import score as scoring
from sharedtask.submissions.accept import Upload
from sharedtask.submissions.models import Run, RunFile, Score
from sharedtask.submissions.score import FileScore
from sharedtask.submissions.score_batches import enqueue_scores
from sharedtask.work import dispatch
from sharedtask.work.failure import Failure, printable
from sharedtask.work.kinds import Attempt
from sharedtask.work.targets import ANALYSE_RUN, ANALYSE_SERIES, CHECK_RUN, CONTINUE_TRAINING, INSPECT_RUN

log = logging.getLogger(__name__)


def accept_upload(upload: Upload) -> Run:
    """Store and record a complete upload, which gives it a receipt, and request its check."""
    at = upload.at or clock.database_now()
    with accept.store_archive(upload.incoming, upload.public_id):
        accept.refuse_inadmissible(upload, at=at)
        with transaction.atomic(durable=True):
            team = accept.lock_team_and_check_quota(upload, at=at)
            run = accept.create_run(upload, team, at=at)
            notify.send_received_notice(run, at=at)
            dispatch.enqueue(CHECK_RUN, run.public_id)
    with logs.about(run=run.public_id, stage="accept"):
        log.info("received %s bytes, SHA-256 %s", run.size_bytes, run.sha256)
    return run


def check(run: Run) -> None:
    """Obtain the run's outputs and give each file a verdict. The calling worker holds the run's lease.

    If software wrote them on secret inputs, nothing is recorded before the last file is checked: how long
    each file takes is up to the software, and its team would see it.
    """
    record.record_files(run, outputs.obtain_outputs(run))
    waiting = run.files.filter(state=RunFile.State.WAITING).select_related("run__task", "test_set")
    files = waiting.prefetch_related("test_set__inputs")
    verdicts: Iterable[tuple[RunFile, Report]] = ((file, checking.check_file(file)) for file in files)
    if run_access.is_from_secret_input(run, at=clock.database_now()):
        verdicts = list(verdicts)
    for file, report in verdicts:
        record.record_verdict(file, report)
    finish_check(run)


def finish_check(run: Run) -> None:
    """Every file has a verdict: request scores, or finish at once if no file can be scored."""
    at = clock.database_now()
    with transaction.atomic():
        if not record.record_checked(run, at=at):
            return
        enqueue_scores(record.create_scores(run, at=at))
        dispatch.enqueue(INSPECT_RUN, run.public_id)
        notify.send_checked_notice(run, at=at)
        if finish_run(run, at=at):
            request_standings(run.phase_id, at=at)


def score(scores: Sequence[Score], attempt: Attempt) -> int:
    """Score several files. A file that fails is handled alone; the others are recorded together.

    Nothing is recorded before the last file is scored, so that all of them need only one transaction. A
    worker that dies before loses a fraction of a second of work, and the files are then sent one by one.
    """
    results: list[tuple[Score, FileScore]] = []
    with storage.prefetch([score.file.output for score in scores]) as fetches:
        for score, fetch in zip(scores, fetches, strict=True):
            with attempt(score):
                results.append((score, scoring.score_file(score, fetch())))
    with attempt(*[score for score, _ in results]):
        finish_scores(results)
    return len(results)


def finish_scores(results: Sequence[tuple[Score, FileScore]]) -> None:
    """The scores of a finished run, for example after a gold fix, do not change the run itself."""
    unit_counts.store((score, result.by_unit) for score, result in results)
    at = clock.database_now()
    runs = {score.file.run_id: score.file.run for score, _ in results}
    with transaction.atomic():
        unfinished = record.lock_scoring_runs(runs.values())
        for score, result in results:
            record.record_score(score, result, at=at)
        changed_phases = {run.phase_id for run in runs.values() if run not in unfinished}
        for run in unfinished:
            if finish_run(run, at=at):
                changed_phases.add(run.phase_id)
        for phase_id in sorted(changed_phases):
            request_standings(phase_id, at=at)


def finish_run(run: Run, *, at: datetime) -> bool:
    """Returns whether all its scores are done. The caller has locked the run and requests standings."""
    if not record.record_finished(run, at=at):
        return False
    dispatch.enqueue(ANALYSE_RUN, run.public_id)
    dispatch.enqueue(INSPECT_RUN, run.public_id)
    if run.training_size is not None:
        dispatch.enqueue(ANALYSE_SERIES, run.system_id)
    if run.is_trained_here:
        dispatch.enqueue(CONTINUE_TRAINING, run.execution.experiment)
    notify.send_scored_notice(run, at=at)
    return True


def refuse(run: Run, refusal: Refusal) -> None:
    """The archive cannot be used; the team is notified and can see what to change."""
    log.info("refused: %s", refusal.id)
    at = clock.database_now()
    with transaction.atomic():
        if record.record_refusal(run, refusal, at=at):
            notify.send_refused_notice(run, at=at)


def withhold_message(score: Score, error: ConfidentialFailure, failure: Failure) -> None:
    """The error message may quote gold: only organisers see it, and decide what to release to the team.

    If the profile failed, the run uses no quota where the team sees its state anyway. In a blind phase a
    growing quota would reveal something that depends on gold, and the run is scored later without the team.
    """
    log.error("the error message of this score is withheld for organisers")
    run = score.file.run
    messages.write(run=run, text=printable(str(error), longest=messages.MAX_CHARACTERS))
    shows_scores = run.phase.feedback == Phase.Feedback.SCORES
    give_up_score(score, failure, gives_quota_back=isinstance(error, ProfileFailure) and shows_scores)


def give_up_check(run: Run, failure: Failure) -> None:
    at = clock.database_now()
    with transaction.atomic():
        if record.record_failed_check(run, failure, at=at):
            notify.send_failed_notice(Run.objects.get(pk=run.pk), at=at)


def give_up_score(score: Score, failure: Failure, *, gives_quota_back: bool = False) -> None:
    at = clock.database_now()
    with transaction.atomic():
        if record.record_failed_score(score, failure, at=at, gives_quota_back=gives_quota_back):
            notify.send_failed_notice(Run.objects.get(pk=score.file.run_id), at=at)
        request_standings(score.file.run.phase_id, at=at)
