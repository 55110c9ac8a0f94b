"""The tasks, each the same four lines: take an id, claim the row, call one function, record once.

A task that finds nothing to claim returns: the message came twice, or the sweeper was quicker.
"""

from __future__ import annotations

from celery.utils.log import get_task_logger

from sharedtask.accounts import letters
from sharedtask.analysis import analyse
from sharedtask.analysis import sweep as analysis_sweeper
from sharedtask.archive.package import make as packages
from sharedtask.competition import tend_gold
from sharedtask.core import clock
from sharedtask.folders import jobs
from sharedtask.operations import sweep as sweeper
from sharedtask.operations import sweep_notices as notice_sweeper
from sharedtask.standings import recompute
from sharedtask.submissions import check, claim, failure, rescore
from sharedtask.submissions import score_files as scoring
from sharedtask.submissions.alarms import look_over
from sharedtask.teams.notices import mail
from sharedtask.work import dispatch, heartbeat
from sharedtask.work.retry import tried_again
from workers import lost  # noqa: F401
from workers.app import app

log = get_task_logger(__name__)


@app.task(name=dispatch.CHECK_RUN)
def check_run(public_id: str) -> None:
    run = claim.claim_run(public_id)
    if run is None:
        return
    with failure.failures_of(run), heartbeat.beating(run):
        check.check_run(run)


@app.task(name=dispatch.SCORE_FILES)
def score_files(public_ids: str) -> None:
    scoring.score_files(public_ids.split())


@app.task(name=dispatch.COMPARE_PHASE)
def compare_phase(phase_id: str) -> None:
    wanted = recompute.claim(int(phase_id))
    if wanted is None:
        return
    with tried_again(wanted, stage="compare", phase=phase_id), heartbeat.beating(wanted):
        recompute.satisfy(wanted)
        # Files are outliers among those of other systems, whose scores have just changed.
        dispatch.hand_out(dispatch.LOOK_OVER_PHASE, phase_id)


@app.task(name=dispatch.ANALYSE_GOLD)
def analyse_gold(version_id: str) -> None:
    analyse.analyse_gold(int(version_id))


@app.task(name=dispatch.ANALYSE_RUN)
def analyse_run(public_id: str) -> None:
    analyse.analyse_run(public_id)


@app.task(name=dispatch.PACK_RESULTS)
def pack_results(publication_id: str) -> None:
    packages.make(int(publication_id))


@app.task(name=dispatch.LOOK_OVER)
def look_over_run(public_id: str) -> None:
    raised = look_over.look_over(public_id)
    if raised:
        log.info("run %s: %s new alarms", public_id, raised)


@app.task(name=dispatch.LOOK_OVER_PHASE)
def look_over_phase(phase_id: str) -> None:
    raised = look_over.look_over_phase(int(phase_id))
    if raised:
        log.info("phase %s: %s new alarms", phase_id, raised)


@app.task(name=dispatch.TEND_GOLD)
def tend(version_id: str) -> None:
    tend_gold.tend(int(version_id))


@app.task(name=dispatch.FOLDER_JOB)
def folder_job(public_id: str) -> None:
    job = jobs.claim(public_id)
    if job is None:
        return
    jobs.work(job)


@app.task(name=dispatch.SWEEP)
def sweep() -> None:
    at = clock.database_now()
    jobs.sweep(at=at)
    tend_gold.hand_out_untended(at=at)
    rescore.score_what_was_left_out(at=at)
    analysis_sweeper.hand_out_unanalysed(at=at)
    packages.hand_out_unwritten(at=at)
    swept = sweeper.sweep(strays=False)
    if swept:
        log.info("%s", swept)


@app.task(name=dispatch.REMOVE_STRAYS)
def remove_strays() -> None:
    removed = sweeper.remove_strays(at=clock.database_now())
    if removed:
        log.info("removed %s stray files", removed)


@app.task(name=dispatch.MAIL_EVENT)
def mail_event(event: str) -> None:
    mail.mail_event(event)


@app.task(name=dispatch.MAIL_LETTER)
def mail_letter(public_id: str) -> None:
    letters.send(public_id)


@app.task(name=dispatch.MAIL_SWEEP)
def mail_sweep() -> None:
    swept = notice_sweeper.sweep()
    if swept.told or swept.handed_out:
        log.info("swept: %s news told, %s mails or events handed out", swept.told, swept.handed_out)
