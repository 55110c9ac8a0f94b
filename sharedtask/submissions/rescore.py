"""Score stored outputs against a version of gold, without running anything again.

In: a version of gold. Out: a `Score` that waits for a worker, for each valid file that has none yet. Scores
against other versions stay beside it.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import Exists, F, OuterRef

from sharedtask.competition.models import GoldVersion
from sharedtask.submissions.models import Run, RunFile, Score
from sharedtask.submissions.score_batches import enqueue_scores

CHECKED = (Run.State.SCORING, Run.State.SCORED, Run.State.FAILED)


def score_against(version: GoldVersion, *, at: datetime) -> int:
    """Call it again at any time: what has a score of this version, or waits for one, is left alone."""
    with transaction.atomic():
        scored = Score.objects.filter(file=OuterRef("pk"), gold=version)
        files = RunFile.objects.filter(
            ~Exists(scored), test_set=version.test_set_id, state=RunFile.State.VALID, run__state__in=CHECKED
        )
        rows = [Score(file=file, gold=version, dispatched_at=at) for file in files]
        Score.objects.bulk_create(rows, ignore_conflicts=True)
        enqueue_scores(rows)
    return len(rows)


def score_what_was_left_out(*, at: datetime) -> int:
    """A run checked at the very moment when gold was put in force has scores of the version before."""
    in_force = OuterRef("test_set__gold_in_force")
    left_out = RunFile.objects.filter(
        ~Exists(Score.objects.filter(file=OuterRef("pk"), gold=in_force)),
        state=RunFile.State.VALID,
        run__state__in=CHECKED,
        test_set__gold_in_force__isnull=False,
    )
    versions = GoldVersion.objects.filter(pk__in=left_out.values("test_set__gold_in_force")).order_by("pk")
    return sum(score_against(version, at=at) for version in versions.filter(pk=F("test_set__gold_in_force")))
