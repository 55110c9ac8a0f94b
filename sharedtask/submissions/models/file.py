"""One file of a run: its verdict follows from the upload and the released input alone, never from gold."""

from __future__ import annotations

from django.db import models

from sharedtask.competition.models import TestSet
from sharedtask.core.public_ids import new_public_id
from sharedtask.submissions.models.run import Run


class RunFile(models.Model):
    class State(models.TextChoices):
        WAITING = "waiting"
        VALID = "valid"
        INVALID = "invalid"
        MISSING = "missing"

    public_id = models.CharField(max_length=32, unique=True, default=new_public_id, editable=False)
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="files")
    test_set = models.ForeignKey(TestSet, on_delete=models.PROTECT, related_name="run_files")
    taken_from = models.ForeignKey(
        "self",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
        help_text="The file of another run that is used here: inherited by amending, or combined.",
    )
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    expected_later = models.BooleanField(
        default=False,
        help_text="Missing because the test set was released, or added to the phase, after the check.",
    )
    output = models.CharField(max_length=200, blank=True, help_text="Name in storage.")
    sha256 = models.CharField(max_length=64, blank=True)
    size_bytes = models.PositiveBigIntegerField(default=0)
    incidents = models.JSONField(default=list, blank=True, help_text="Capped per kind.")
    incident_counts = models.JSONField(default=dict, blank=True, help_text="Number of each kind, uncapped.")

    class Meta:
        ordering = ["test_set__position", "test_set__code"]
        constraints = [
            models.UniqueConstraint(fields=["run", "test_set"], name="a_run_has_one_file_per_test_set")
        ]

    def __str__(self) -> str:
        return f"{self.test_set.code} of {self.run}"
