"""Analyses by workers of released gold, and of outputs compared with it, sentence by sentence.

They do not exist before an organiser has released the version of gold.
"""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from sharedtask.competition.models import GoldVersion
from sharedtask.core.public_ids import new_public_id
from sharedtask.submissions.models import Score
from sharedtask.work.lease import Leased

FORMAT = 7
"""Analyses with another number come from another version of the software and are repeated."""


class GoldAnalysis(Leased):
    """One version of gold. Workers also claim this row to analyse outputs against it."""

    gold = models.OneToOneField(GoldVersion, on_delete=models.CASCADE, related_name="analysis")
    format = models.PositiveSmallIntegerField(default=0, help_text="0 until it is complete.")
    statistics = models.JSONField(default=dict, blank=True, help_text="`evaluation`'s Statistics.")
    index = models.BinaryField(default=b"", help_text="`evaluation`'s GoldSentences.")
    analysed_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"analysis of {self.gold}"


class Analysis(models.Model):
    """One output against one version of gold."""

    public_id = models.CharField(max_length=32, unique=True, default=new_public_id, editable=False)
    score = models.OneToOneField(Score, on_delete=models.CASCADE, related_name="analysis")
    format = models.PositiveSmallIntegerField(default=0)
    breakdowns = models.BinaryField(default=b"", help_text="`evaluation`'s Breakdowns.")
    sentences = models.BinaryField(default=b"", help_text="`evaluation`'s SystemSentences.")
    errors = models.BinaryField(default=b"", help_text="`evaluation`'s ErrorCounts, by sentence and class.")
    classes = models.CharField(
        max_length=32, blank=True, help_text="Hash of the task's own error classes at that time."
    )
    failure = models.TextField(
        blank=True, help_text="Reason for the failure; the other fields are then empty."
    )
    analysed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name_plural = "analyses"

    def __str__(self) -> str:
        return f"analysis of {self.score}"
