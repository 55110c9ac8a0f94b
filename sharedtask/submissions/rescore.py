"""Score stored outputs against a version of gold, without uploading or checking them again.

In: a version of gold. Out: a waiting `Score` for each valid file that has none for this version yet. Scores
against other versions stay stored.
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
    """Can be called at any time: files that have a score for this version, or wait for one, are skipped."""
    with transaction.atomic():
        scored = Score.objects.filter(file=OuterRef("pk"), gold=version)
        files = RunFile.objects.filter(
            ~Exists(scored), test_set=version.test_set_id, state=RunFile.State.VALID, run__state__in=CHECKED
        )
        rows = [Score(file=file, gold=version, dispatched_at=at) for file in files]
        Score.objects.bulk_create(rows, ignore_conflicts=True)
        enqueue_scores(rows)
    return len(rows)


def score_missing(*, at: datetime) -> int:
    """For the sweep: a run checked while gold was put in force has scores for the previous version only."""
    in_force = OuterRef("test_set__gold_in_force")
    unscored = RunFile.objects.filter(
        ~Exists(Score.objects.filter(file=OuterRef("pk"), gold=in_force)),
        state=RunFile.State.VALID,
        run__state__in=CHECKED,
        test_set__gold_in_force__isnull=False,
    )
    versions = GoldVersion.objects.filter(pk__in=unscored.values("test_set__gold_in_force")).order_by("pk")
    return sum(score_against(version, at=at) for version in versions.filter(pk=F("test_set__gold_in_force")))
