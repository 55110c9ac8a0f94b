"""Make the task, its teams and their runs of the data, score them, release gold and publish the results.

In: the folder of the data and who organises. Out: a finished task that everybody sees. Each act is the site's
own, with the clock of 2017 where people acted; what is done already is not done again, so that an interrupted
load goes on where it stopped.
"""

from __future__ import annotations

import hashlib
import io
import shutil
import zipfile
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet

from sharedtask import clock, handout, storage
from sharedtask.analysis.sweep import incomplete
from sharedtask.archive.package.page import package_of
from sharedtask.competition.folder.apply import apply
from sharedtask.competition.folder.checks import read_folder
from sharedtask.competition.models import GoldVersion, Phase, Task
from sharedtask.competition.release_gold import release_gold
from sharedtask.competition.tend_gold import UNTENDED
from sharedtask.conll17 import work
from sharedtask.conll17.data import Data, read_data
from sharedtask.conll17.processes import workforce
from sharedtask.conll17.task import ANNOUNCED, PUBLISHED, task_folder
from sharedtask.conll17.teams import Participant, participants
from sharedtask.leaderboard import want
from sharedtask.leaderboard.models import Wanted
from sharedtask.leaderboard.publish import publish_results, readiness
from sharedtask.storage import Incoming
from sharedtask.submissions.accept import accept
from sharedtask.submissions.hand_out_scores import batches
from sharedtask.submissions.models import Run, Score
from sharedtask.submissions.models.lease import free
from sharedtask.teams.models import Team
from sharedtask.teams.register import register

REASON = "The task is over; its data and results are public."


def load(folder: Path, *, organiser: User, jobs: int, say: work.Say) -> Task:
    scratch = storage.new_folder()
    try:
        say(f"Unpacking {folder}")
        data = read_data(folder, scratch)
        with handout.withheld():
            task = apply(folder=read_folder(task_folder(data)), by=None, at=ANNOUNCED).task
            task.organisers.add(organiser)
            upload_all(task, data, say)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    with workforce(jobs) as pool, handout.withheld():
        score_all(task, pool, say)
        release(task, organiser, pool, say)
        compare(task, pool, say)
        publish(task, organiser, say)
        pack(task, pool, say)
    return task


def upload_all(task: Task, data: Data, say: work.Say) -> None:
    phase = task.phases.get(kind=Phase.Kind.TEST)
    teams = participants(data, phase)
    say(f"{len(data.treebanks)} test sets, {len(teams)} teams")
    for number, one in enumerate(teams, start=1):
        upload(phase, one, archive_of(data.outputs_of(one.key)))
        if number % 10 == 0 or number == len(teams):
            say(f"Uploading: {number} of {len(teams)}")


def upload(phase: Phase, one: Participant, archive: bytes) -> None:
    team = Team.objects.filter(task=phase.task, name=one.name).first() or register(
        task=phase.task,
        name=one.name,
        affiliation=one.affiliation,
        is_baseline=one.is_baseline,
        confirmed=True,
        at=phase.opens_at,
    )
    if Run.objects.filter(team=team, sha256=hashlib.sha256(archive).hexdigest()).exists():
        return
    incoming = Incoming()
    incoming.write(archive)
    accept(
        incoming=incoming,
        phase=phase,
        team=team,
        system=team.primary_system,
        uploaded_by=None,
        filename=f"{one.key}.zip",
        at=one.delivered_at,
    )


def archive_of(outputs: dict[str, Path]) -> bytes:
    """A zip with a fixed date in it, so that the same files are the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for code, path in sorted(outputs.items()):
            entry = zipfile.ZipInfo(f"{code}.conllu", date_time=(2017, 5, 20, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes(), compresslevel=1)
    return buffer.getvalue()


def score_all(task: Task, pool: Executor | None, say: work.Say) -> None:
    runs = Run.objects.filter(task=task)
    scores = Score.objects.filter(file__run__task=task, state=Score.State.WAITING)
    unchecked = runs.filter(state__in=[Run.State.RECEIVED, Run.State.CHECKING])
    work.do_all(
        "Checking runs",
        work.check_run,
        free=lambda: ids_of(runs.waiting_for_a_checker(at=clock.database_now())),
        left=unchecked.exists,
        pool=pool,
        say=say,
    )
    work.do_all(
        "Scoring files, several at a time",
        work.score_batch,
        free=lambda: in_batches(scores.waiting_for_a_scorer(at=clock.database_now())),
        left=scores.exists,
        pool=pool,
        say=say,
    )
    overlooked = runs.to_look_over()
    work.do_all(
        "Looking for alarms",
        work.look_over_run,
        free=lambda: ids_of(overlooked),
        left=overlooked.exists,
        pool=pool,
        say=say,
    )


def ids_of(rows: QuerySet[Any]) -> list[str]:
    return list(rows.order_by("pk").values_list("public_id", flat=True))


def in_batches(scores: QuerySet[Score]) -> list[str]:
    """Those against the same gold together: a process opens it once for all of them."""
    in_order = scores.select_related("file").order_by("gold", "pk")
    return [" ".join(score.public_id for score in batch) for batch in batches(in_order)]


def release(task: Task, organiser: User, pool: Executor | None, say: work.Say) -> None:
    unreleased = task.test_sets.filter(gold_in_force__released_at=None)
    if unreleased.exists():
        release_gold(task=task, by=organiser, reason=REASON, at=PUBLISHED)
    untended = GoldVersion.objects.filter(UNTENDED, test_set__task=task)
    work.do_all(
        "Releasing gold",
        work.tend,
        free=lambda: [str(pk) for pk in untended.values_list("pk", flat=True)],
        left=untended.exists,
        pool=pool,
        say=say,
    )
    unanalysed = incomplete().filter(test_set__task=task)
    work.do_all(
        "Analysing test sets",
        work.analyse,
        free=lambda: [str(pk) for pk in unanalysed.values_list("pk", flat=True)],
        left=unanalysed.exists,
        pool=pool,
        say=say,
    )


def compare(task: Task, pool: Executor | None, say: work.Say) -> None:
    wanted = Wanted.objects.filter(phase__task=task)
    unclaimed = wanted.filter(free(clock.database_now() + want.QUIET))
    work.do_all(
        "Comparing the systems of a phase",
        work.compare_phase,
        free=lambda: [str(pk) for pk in unclaimed.values_list("phase", flat=True)],
        left=wanted.exists,
        pool=pool,
        say=say,
    )


def publish(task: Task, organiser: User, say: work.Say) -> None:
    """Once; and again only when a standing holds that was not published yet."""
    latest = task.publications.first()
    published = set(latest.standings.values_list("pk", flat=True)) if latest else set()
    states = readiness(task, at=PUBLISHED)
    if any(one.obstacle or (one.standing and one.standing.pk not in published) for one in states):
        say("Publishing results")
        publish_results(task=task, by=organiser, reason=REASON, at=PUBLISHED)


def pack(task: Task, pool: Executor | None, say: work.Say) -> None:
    def latest() -> list[str]:
        return [str(one.pk) for one in task.publications.all()[:1]]

    work.do_all(
        "Writing the data package",
        work.pack,
        free=latest,
        left=lambda: package_of(task, at=clock.database_now()) is None,
        pool=pool,
        say=say,
    )
