"""Score stored outputs again, without uploading or checking them: against other gold, or by another profile.

In: a version of gold, or a task whose profile has a new version. Out: a waiting `Score` for each valid file
that has none for these versions yet. Scores by other versions stay stored.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import Exists, F, OuterRef

from sharedtask.competition.metrics import pending_version
from sharedtask.competition.models import GoldVersion, Task
from sharedtask.scorers.find import find_scorer
from sharedtask.submissions.models import Run, RunFile, Score
from sharedtask.submissions.profile_version import in_force
from sharedtask.submissions.score_batches import enqueue_scores

CHECKED = (Run.State.SCORING, Run.State.SCORED, Run.State.FAILED)


def score_against(version: GoldVersion, *, at: datetime, profile_version: str | None = None) -> int:
    """By the profile in force, or by another version of it.

    Can be called at any time: files that have a score for these versions, or wait for one, are skipped.
    """
    if profile_version is None:
        profile_version = version.test_set.task.profile_version
    scorer = find_scorer(version.test_set.task, profile_version)
    with transaction.atomic():
        scored = Score.objects.filter(file=OuterRef("pk"), gold=version, profile_version=profile_version)
        files = RunFile.objects.filter(
            ~Exists(scored), test_set=version.test_set_id, state=RunFile.State.VALID, run__state__in=CHECKED
        )
        rows = [
            Score(file=file, gold=version, profile_version=profile_version, scorer=scorer, dispatched_at=at)
            for file in files
        ]
        Score.objects.bulk_create(rows, ignore_conflicts=True)
        enqueue_scores(rows)
    return len(rows)


def score_by_pending_profile(task: Task, *, at: datetime) -> int:
    """Against the gold in force, so that organisers can compare a new version of the profile with the old.

    A task without scores uses the new version at once.
    """
    pending = pending_version(task)
    if pending is None or in_force(task) == pending:
        return 0
    versions = GoldVersion.objects.filter(pk=F("test_set__gold_in_force"), test_set__task=task)
    return sum(score_against(version, at=at, profile_version=pending) for version in versions.order_by("pk"))


def score_missing(*, at: datetime) -> int:
    """For the sweep: a run checked while gold was put in force has scores for the previous version only.

    And a new version of a profile has been installed: nothing else notices it.
    """
    gold = OuterRef("test_set__gold_in_force")
    profile_version = OuterRef("run__task__profile_version")
    unscored = RunFile.objects.filter(
        ~Exists(Score.objects.filter(file=OuterRef("pk"), gold=gold, profile_version=profile_version)),
        state=RunFile.State.VALID,
        run__state__in=CHECKED,
        test_set__gold_in_force__isnull=False,
    )
    versions = GoldVersion.objects.filter(pk__in=unscored.values("test_set__gold_in_force")).order_by("pk")
    in_force_now = versions.filter(pk=F("test_set__gold_in_force")).select_related("test_set__task")
    count = sum(score_against(version, at=at) for version in in_force_now)
    return count + sum(score_by_pending_profile(task, at=at) for task in Task.objects.order_by("pk"))
