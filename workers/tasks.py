"""The tasks, each the same four lines: take an id, claim the row, call one function, record once.

A task that finds nothing to claim returns: the message came twice, or the sweeper was quicker.
"""

from __future__ import annotations

from celery.utils.log import get_task_logger

from sharedtask import clock, handout
from sharedtask.analysis import analyse
from sharedtask.analysis import sweep as analysis_sweeper
from sharedtask.archive.package import make as packages
from sharedtask.competition import rescore, tend_gold
from sharedtask.competition.folder import jobs
from sharedtask.leaderboard import want
from sharedtask.submissions import check, claim, failure, heartbeat
from sharedtask.submissions import score_files as scoring
from sharedtask.submissions import sweep as sweeper
from sharedtask.submissions.alarms import look_over
from sharedtask.submissions.try_again import tried_again
from sharedtask.teams import letters
from sharedtask.teams.notices import mail
from sharedtask.teams.notices import sweep as notice_sweeper
from workers import lost, memory  # noqa: F401
from workers.app import app

log = get_task_logger(__name__)


@app.task(name=handout.CHECK_RUN)
def check_run(public_id: str) -> None:
    run = claim.claim_run(public_id)
    if run is None:
        return
    with failure.failures_of(run), heartbeat.beating(run):
        check.check_run(run)


@app.task(name=handout.SCORE_FILES)
def score_files(public_ids: str) -> None:
    scoring.score_files(public_ids.split())


@app.task(name=handout.COMPARE_PHASE)
def compare_phase(phase_id: str) -> None:
    wanted = want.claim(int(phase_id))
    if wanted is None:
        return
    with tried_again(wanted, stage="compare", phase=phase_id), heartbeat.beating(wanted):
        want.satisfy(wanted)
        # Files are outliers among those of other systems, whose scores have just changed.
        handout.hand_out(handout.LOOK_OVER_PHASE, phase_id)


@app.task(name=handout.ANALYSE_GOLD)
def analyse_gold(version_id: str) -> None:
    analyse.analyse_gold(int(version_id))


@app.task(name=handout.ANALYSE_RUN)
def analyse_run(public_id: str) -> None:
    analyse.analyse_run(public_id)


@app.task(name=handout.PACK_RESULTS)
def pack_results(publication_id: str) -> None:
    packages.make(int(publication_id))


@app.task(name=handout.LOOK_OVER)
def look_over_run(public_id: str) -> None:
    raised = look_over.look_over(public_id)
    if raised:
        log.info("run %s: %s new alarms", public_id, raised)


@app.task(name=handout.LOOK_OVER_PHASE)
def look_over_phase(phase_id: str) -> None:
    raised = look_over.look_over_phase(int(phase_id))
    if raised:
        log.info("phase %s: %s new alarms", phase_id, raised)


@app.task(name=handout.TEND_GOLD)
def tend(version_id: str) -> None:
    tend_gold.tend(int(version_id))


@app.task(name=handout.FOLDER_JOB)
def folder_job(public_id: str) -> None:
    job = jobs.claim(public_id)
    if job is None:
        return
    jobs.work(job)


@app.task(name=handout.SWEEP)
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


@app.task(name=handout.REMOVE_STRAYS)
def remove_strays() -> None:
    removed = sweeper.remove_strays(at=clock.database_now())
    if removed:
        log.info("removed %s stray files", removed)


@app.task(name=handout.MAIL_EVENT)
def mail_event(event: str) -> None:
    mail.mail_event(event)


@app.task(name=handout.MAIL_LETTER)
def mail_letter(public_id: str) -> None:
    letters.send(public_id)


@app.task(name=handout.MAIL_SWEEP)
def mail_sweep() -> None:
    swept = notice_sweeper.sweep()
    if swept.told or swept.handed_out:
        log.info("swept: %s news told, %s mails or events handed out", swept.told, swept.handed_out)
