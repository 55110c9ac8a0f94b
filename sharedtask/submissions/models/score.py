"""One file against one version of gold: the unit of scoring, and its result. As secret as gold."""

from __future__ import annotations

from django.db import models
from django.db.models import F

from sharedtask.competition.models import GoldVersion
from sharedtask.core.public_ids import new_public_id
from sharedtask.submissions.models.file import RunFile
from sharedtask.work.lease import Leased


class ScoreQuerySet(models.QuerySet["Score"]):
    def waiting(self) -> ScoreQuerySet:
        """Including scores that a worker is computing now."""
        # No join here: Django turns an UPDATE over a join into one over a subquery, and PostgreSQL does not
        # evaluate the subquery again after waiting for another claim. Both claims would succeed.
        return self.filter(state=Score.State.WAITING)

    def in_force(self) -> ScoreQuerySet:
        """Against the version of gold in force now; scores against other versions stay stored."""
        return self.filter(gold=F("file__test_set__gold_in_force"))

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
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    counts = models.JSONField(
        default=dict, blank=True, help_text="Per metric the integers gold, system, correct, aligned."
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
            models.UniqueConstraint(fields=["file", "gold"], name="a_file_is_scored_once_per_gold_version")
        ]

    def __str__(self) -> str:
        return f"{self.file} against {self.gold}"
