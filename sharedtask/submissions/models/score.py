"""One file against one version of gold, by one version of the profile: the unit of scoring, and its result.

As secret as gold.
"""

from __future__ import annotations

from django.db import models
from django.db.models import F

from sharedtask.competition.models import GoldVersion
from sharedtask.core.public_ids import new_public_id
from sharedtask.scorers.models import ScorerVersion
from sharedtask.submissions.models.file import RunFile
from sharedtask.work.lease import Leased


class ScoreQuerySet(models.QuerySet["Score"]):
    def waiting(self) -> ScoreQuerySet:
        """Including scores that a worker is computing now."""
        # No join here: Django turns an UPDATE over a join into one over a subquery, and PostgreSQL does not
        # evaluate the subquery again after waiting for another claim. Both claims would succeed.
        return self.filter(state=Score.State.WAITING)

    def by_evaluator(self) -> ScoreQuerySet:
        """Those that any worker can compute: no scorer of organisers is needed."""
        return self.filter(scorer=None)

    def by_image(self) -> ScoreQuerySet:
        return self.filter(scorer__isnull=False)

    def in_force(self) -> ScoreQuerySet:
        """Against the gold in force now, by the profile in force; scores by other versions stay stored."""
        return self.filter(
            gold=F("file__test_set__gold_in_force"), profile_version=F("file__run__task__profile_version")
        )

    def done(self) -> ScoreQuerySet:
        return self.filter(state=Score.State.SCORED)


class Score(Leased):
    class State(models.TextChoices):
        WAITING = "waiting"
        SCORED = "scored"
        FAILED = "failed", "server error; organisers have been notified"

    public_id = models.CharField(max_length=32, unique=True, default=new_public_id, editable=False)
    file = models.ForeignKey(RunFile, on_delete=models.CASCADE, related_name="scores")
    gold = models.ForeignKey(GoldVersion, on_delete=models.PROTECT, related_name="scores")
    profile_version = models.CharField(
        max_length=40, blank=True, help_text="Of the profile that makes it; empty if it has no versions."
    )
    scorer = models.ForeignKey(
        ScorerVersion,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="scores",
        help_text="The organisers' own scorer that makes it, too; its version is in `profile_version`.",
    )
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    counts = models.JSONField(
        default=dict,
        blank=True,
        help_text="Per metric the integers gold, system, correct, aligned; or its figure.",
    )
    reference = models.CharField(
        max_length=40, blank=True, help_text="The best of several references; empty if gold is one file."
    )
    by_reference = models.JSONField(
        default=dict, blank=True, help_text="The figures against each of several references, by its name."
    )
    units = models.CharField(
        max_length=200, blank=True, help_text="Name in storage of the counts per unit of resampling."
    )
    signature = models.CharField(max_length=300, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    duration_seconds = models.FloatField(null=True, blank=True)

    objects = ScoreQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["file", "gold", "profile_version"], name="a_file_is_scored_once_per_version"
            )
        ]

    def __str__(self) -> str:
        return f"{self.file} against {self.gold}"

    @property
    def is_in_force(self) -> bool:
        """Whether the run's result depends on it: not on a score for a version that is still compared."""
        file = self.file
        return (
            self.gold_id == file.test_set.gold_in_force_id
            and self.profile_version == file.run.task.profile_version
        )
