"""What workers do with a released version of gold: index it, and break down every output scored against it.

In: the key of a version. Out: its `GoldAnalysis`, and an `Analysis` for each score that has none yet. One
worker at a time is at a version and takes all that waits, so that gold is read once for many outputs. Run
twice, it changes nothing. An output that cannot be analysed is written down as such and does not stop the
others.
"""

from __future__ import annotations

import logging
import time
import traceback
from datetime import datetime

from django.db import DatabaseError, InterfaceError
from django.db.models import Exists, F, OuterRef, QuerySet

import evaluation
from evaluation.scoring.breakdown import break_down
from evaluation.scoring.statistics import statistics
from evaluation.showing.gold_sentences import gold_sentences
from evaluation.showing.system_sentences import system_sentences
from sharedtask.analysis.models import FORMAT, Analysis, GoldAnalysis
from sharedtask.competition.models import GoldVersion
from sharedtask.core import clock, storage
from sharedtask.core.limits import reading_limits
from sharedtask.submissions.failure import is_of_the_machine
from sharedtask.submissions.models import Score
from sharedtask.work import dispatch
from sharedtask.work.heartbeat import beating
from sharedtask.work.lease import LEASE, free, this_worker
from sharedtask.work.retry import tried_again

BATCH = 50
LONGEST_SECONDS = 120
"""Then the rest is handed out again: a task must end before its time limit, whatever there is to do."""
MOST_LOSSES = 5
"""Workers die for many reasons; an output that so many have died with one after the other is the reason."""

log = logging.getLogger(__name__)


def released() -> QuerySet[GoldVersion]:
    """Versions that an organiser has released, and of which a worker has written the public copy."""
    return GoldVersion.objects.filter(released_at__isnull=False).exclude(public_copy="")


def waiting() -> QuerySet[Score]:
    """Scores whose output has not been analysed by this version of the software."""
    made = Analysis.objects.filter(score=OuterRef("pk"), format=FORMAT)
    return Score.objects.done().filter(~Exists(made)).exclude(file__output="")


def claim(version_id: int, *, at: datetime | None = None) -> GoldAnalysis | None:
    """None when somebody else has it, or gold has not been released."""
    at = at or clock.database_now()
    version = released().filter(pk=version_id).first()
    if version is None:
        return None
    GoldAnalysis.objects.get_or_create(gold=version)
    expired = GoldAnalysis.objects.filter(gold=version, claimed_until__lte=at).exclude(claimed_by="")
    expired.update(losses=F("losses") + 1, claimed_by="")
    claimable = GoldAnalysis.objects.filter(free(at), gold=version)
    if not claimable.update(claimed_until=at + LEASE, claimed_by=this_worker()):
        return None
    return GoldAnalysis.objects.select_related("gold__test_set__task").get(gold=version)


def analyse_gold(version_id: int) -> int:
    """How many outputs were analysed."""
    row = claim(version_id)
    if row is None:
        return 0
    with tried_again(row, stage="analyse", gold=str(row.gold)), beating(row):
        return work_through(row)
    return 0


def analyse_run(public_id: str) -> int:
    """All versions of released gold that a run was scored against."""
    scored = Score.objects.done().filter(file__run__public_id=public_id).values("gold")
    return sum(analyse_gold(pk) for pk in released().filter(pk__in=scored).values_list("pk", flat=True))


def work_through(row: GoldAnalysis) -> int:
    began, number = time.monotonic(), 0
    scores = waiting().filter(gold=row.gold).select_related("file").order_by("pk")
    if row.losses >= MOST_LOSSES and (cause := scores.first()):
        record(cause, Analysis(failure=f"{row.losses} workers died with it."))
    if row.format != FORMAT or scores.exists():
        gold = evaluation.read(storage.read(row.gold.public_copy), limits=reading_limits())
        if row.format != FORMAT:
            record_gold(row, gold)
        while (batch := list(scores[:BATCH])) and time.monotonic() - began < LONGEST_SECONDS:
            for score in batch:
                record(score, analysis_of(gold, score, row.gold.test_set.task.profile))
            number += len(batch)
    let_go(row)
    if scores.exists():
        dispatch.hand_out(dispatch.ANALYSE_GOLD, str(row.gold.pk))
    return number


def let_go(row: GoldAnalysis) -> None:
    GoldAnalysis.objects.filter(pk=row.pk).update(
        claimed_until=None, claimed_by="", attempts=0, losses=0, failure={}
    )


def record_gold(row: GoldAnalysis, gold: evaluation.Treebank) -> None:
    GoldAnalysis.objects.filter(pk=row.pk).update(
        statistics=statistics(gold).as_dict(),
        index=gold_sentences(gold).to_bytes(),
        format=FORMAT,
        made_at=clock.database_now(),
    )


def analysis_of(gold: evaluation.Treebank, score: Score, profile: str) -> Analysis:
    """Not saved yet. What fails here fails always: only the machine's own failures are worth another try."""
    try:
        with storage.fetched(score.file.output) as output:
            system = evaluation.read(output, limits=reading_limits())
        comparison = evaluation.compare(gold, system, profile)
        found, sentences = break_down(comparison), system_sentences(comparison)
    except FileNotFoundError as error:
        return Analysis(failure=str(error))
    except Exception as error:
        if is_of_the_machine(error) or isinstance(error, DatabaseError | InterfaceError):
            raise
        log.exception("score %s cannot be analysed", score.public_id)
        return Analysis(failure=traceback.format_exc()[-5000:])
    return Analysis(breakdowns=found.as_dict(), sentences=sentences.to_bytes())


def record(score: Score, made: Analysis) -> None:
    GoldAnalysis.objects.filter(gold=score.gold_id, losses__gt=0).update(losses=0)
    Analysis.objects.update_or_create(
        score=score,
        defaults={
            "format": FORMAT,
            "breakdowns": made.breakdowns,
            "sentences": made.sentences,
            "failure": made.failure,
            "made_at": clock.database_now(),
        },
    )
