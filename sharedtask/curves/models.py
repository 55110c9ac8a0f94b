"""Analyses by workers of series: runs of one system on training samples of growing size.

They are made for released gold only, and shown as breakdowns are.
"""

from __future__ import annotations

from django.db import models
from django.db.models import F

from sharedtask.competition.models import Phase
from sharedtask.teams.models import System
from sharedtask.work.lease import Leased


class SeriesAnalysisQuerySet(models.QuerySet["SeriesAnalysis"]):
    def waiting(self) -> SeriesAnalysisQuerySet:
        """Including those that a worker is computing now."""
        return self.exclude(inputs=F("analysed_inputs"))


class SeriesAnalysis(Leased):
    """The series of one system in one phase, on all test sets whose gold is released."""

    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="series")
    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="series")
    inputs = models.CharField(max_length=64, help_text="Hash of the outputs and gold that are current.")
    analysed_inputs = models.CharField(max_length=64, blank=True, help_text="Hash of those it was made from.")
    runs = models.JSONField(default=list, blank=True, help_text="Public ids of the runs of the series.")
    placed = models.JSONField(default=list, blank=True, help_text="Public ids of the runs on its curve.")
    gold = models.JSONField(default=list, blank=True, help_text="Keys of the versions of gold.")
    result = models.BinaryField(default=b"", help_text="`evaluation`'s analyses; empty if there is none.")
    problems = models.JSONField(
        default=list, blank=True, help_text="Why test sets were left out; may quote gold."
    )
    analysed_at = models.DateTimeField(null=True, blank=True)

    objects = SeriesAnalysisQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "series analyses"
        constraints = [
            models.UniqueConstraint(
                fields=["system", "phase"], name="a_system_has_one_series_analysis_in_a_phase"
            )
        ]

    def __str__(self) -> str:
        return f"series of {self.system} in {self.phase}"
