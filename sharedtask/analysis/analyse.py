"""Analysis of a released version of gold by workers: an index of it, and a breakdown of every scored output.

In: the key of a version. Out: its `GoldAnalysis`, and an `Analysis` for each score that has none yet. One
worker at a time works on a version and takes all waiting outputs, so that gold is read once for many of them.
Running it twice changes nothing. An output that cannot be analysed is recorded as such and does not stop the
others.
"""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Sequence
from datetime import datetime

from django.db import DatabaseError, InterfaceError
from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import MD5

import evaluation
from evaluation.errors.count import find_errors
from evaluation.scoring.breakdown import break_down
from evaluation.scoring.statistics import statistics
from evaluation.showing.gold_sentences import gold_sentences
from evaluation.showing.system_sentences import system_sentences
from sharedtask.analysis.models import FORMAT, Analysis, GoldAnalysis
from sharedtask.competition.error_classes import classes_of, fingerprint
from sharedtask.competition.metrics import is_installed
from sharedtask.competition.models import GoldVersion, Task
from sharedtask.competition.treebanks import compare_files, format_of, read_file
from sharedtask.core import clock, storage
from sharedtask.core.public_ids import new_public_id
from sharedtask.submissions.models import Score
from sharedtask.work import dispatch
from sharedtask.work.dispatch import Key
from sharedtask.work.failure import Failure
from sharedtask.work.kinds import Job, WorkKind
from sharedtask.work.lease import released as released_lease
from sharedtask.work.perform import perform
from sharedtask.work.retry import RetryPolicy, is_machine_error
from sharedtask.work.targets import ANALYSE_GOLD, ANALYSE_RUN

BATCH = 50
LONGEST_SECONDS = 120
"""After this, another message requests the rest, because a task must end before its time limit."""
MAX_LOSSES = 5
WITHOUT_TREES = "Files of this track have no trees."

log = logging.getLogger(__name__)


def released() -> QuerySet[GoldVersion]:
    """Versions that an organiser has released and whose public copy a worker has written."""
    return GoldVersion.objects.filter(released_at__isnull=False).exclude(public_copy="")


def waiting() -> QuerySet[Score]:
    """Scores whose output has not been analysed by this version of the software with the task's classes."""
    classes = MD5(OuterRef("file__run__task__error_classes"))
    analyses = Analysis.objects.filter(score=OuterRef("pk"), format=FORMAT, classes=classes)
    return Score.objects.done().filter(~Exists(analyses)).exclude(file__output="")


def incomplete() -> QuerySet[GoldVersion]:
    """Released gold that is not analysed yet, or with outputs that are not."""
    return released().filter(
        ~Exists(GoldAnalysis.objects.filter(gold=OuterRef("pk"), format=FORMAT))
        | Exists(waiting().filter(gold=OuterRef("pk")))
    )


class AnalyseGold(WorkKind[GoldAnalysis]):
    target = ANALYSE_GOLD
    stage = "analyse"
    key = "gold_id"
    related = ("gold__test_set__task",)
    retries = RetryPolicy(max_losses=MAX_LOSSES)

    def waiting(self) -> QuerySet[GoldAnalysis]:
        return GoldAnalysis.objects.filter(gold__in=incomplete())

    def create_rows(self, keys: Sequence[Key]) -> None:
        for version in released().filter(pk__in=keys, analysis=None):
            GoldAnalysis.objects.get_or_create(gold=version)

    def discover(self, *, at: datetime) -> None:
        for version in incomplete().filter(analysis=None):
            GoldAnalysis.objects.get_or_create(gold=version, defaults={"dispatched_at": None})

    def process(self, row: GoldAnalysis) -> int:
        return analyse_waiting(row)

    def give_up(self, row: GoldAnalysis, failure: Failure) -> None:
        """Only for the output with which the workers died, which is the first; the others go on."""
        if suspect := waiting().filter(gold=row.gold_id).order_by("pk").first():
            record(suspect, Analysis(failure=f"{row.losses} workers died while analysing this output."))

    def log_fields(self, row: GoldAnalysis) -> dict[str, str]:
        return {"gold": str(row.gold)}


def analyse_gold(version_id: int) -> int:
    """The number of analysed outputs."""
    return perform(AnalyseGold(), [version_id])


def analyse_run(public_id: str) -> int:
    """Against all versions of released gold that the run was scored against."""
    scored = Score.objects.done().filter(file__run__public_id=public_id).values("gold")
    return sum(analyse_gold(pk) for pk in released().filter(pk__in=scored).values_list("pk", flat=True))


ANALYSE_RUN_JOB = Job(target=ANALYSE_RUN, run=analyse_run)


def analyse_waiting(row: GoldAnalysis) -> int:
    """The number of analysed outputs."""
    began, number = time.monotonic(), 0
    scores = waiting().filter(gold=row.gold).select_related("file__run__task").order_by("pk")
    if row.format != FORMAT or scores.exists():
        gold = read_file(row.gold.test_set.task, storage.read(row.gold.public_copy))
        if row.format != FORMAT:
            record_gold(row, gold)
        while (batch := list(scores[:BATCH])) and time.monotonic() - began < LONGEST_SECONDS:
            for score in batch:
                record(score, analysis_of(gold, score, row.gold.test_set.task))
            number += len(batch)
    release(row)
    if scores.exists():
        dispatch.enqueue(ANALYSE_GOLD, row.gold.pk)
    return number


def release(row: GoldAnalysis) -> None:
    GoldAnalysis.objects.filter(pk=row.pk).update(attempts=0, losses=0, failure={}, **released_lease())


def record_gold(row: GoldAnalysis, gold: evaluation.Treebank) -> None:
    GoldAnalysis.objects.filter(pk=row.pk).update(
        statistics=statistics(gold).as_dict(),
        index=gold_sentences(gold).to_bytes(),
        format=FORMAT,
        analysed_at=clock.database_now(),
    )


def analysis_of(gold: evaluation.Treebank, score: Score, task: Task) -> Analysis:
    """Not saved yet. Only errors of the machine are raised and retried; all others would occur again."""
    track = score.file.run.track
    if not format_of(task, track).trees:
        return Analysis(failure=WITHOUT_TREES)
    if not is_installed(task, score.profile_version):
        return Analysis(failure=f"Version {score.profile_version} of the profile is not installed.")
    try:
        with storage.local_copy(score.file.output) as output:
            comparison = compare_files(task, gold, read_file(task, output, track=track), track)
        breakdowns, sentences = break_down(comparison), system_sentences(comparison)
        errors = find_errors(comparison, classes_of(task)).by_sentence()
    except FileNotFoundError as error:
        return Analysis(failure=str(error))
    except Exception as error:
        if is_machine_error(error) or isinstance(error, DatabaseError | InterfaceError):
            raise
        log.exception("score %s cannot be analysed", score.public_id)
        return Analysis(failure=traceback.format_exc()[-5000:])
    return Analysis(
        breakdowns=breakdowns.to_bytes(), sentences=sentences.to_bytes(), errors=errors.to_bytes()
    )


def record(score: Score, analysis: Analysis) -> None:
    GoldAnalysis.objects.filter(gold=score.gold_id, losses__gt=0).update(losses=0)
    Analysis.objects.update_or_create(
        score=score,
        defaults={
            # Processes cache what they have read by this id.
            "public_id": new_public_id(),
            "format": FORMAT,
            "classes": fingerprint(score.file.run.task),
            "breakdowns": analysis.breakdowns,
            "sentences": analysis.sentences,
            "errors": analysis.errors,
            "failure": analysis.failure,
            "analysed_at": clock.database_now(),
        },
    )
