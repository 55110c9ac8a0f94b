"""Versions of a task's scorer: images of organisers, checked like those of teams.

A version is `received`, then `ready`, `refused` with a reason, or `failed` after a server error. The newest
one that is ready is that of the task, unless an organiser has `discarded` it. Stored images stay: scores name
them.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.db import models
from django.db.models import Q

from sharedtask.competition.models import Task
from sharedtask.competition.scorer import scorer_entry
from sharedtask.uploads.images import UploadedImage


class ScorerVersionQuerySet(models.QuerySet["ScorerVersion"]):
    def waiting_for_a_check(self) -> ScorerVersionQuerySet:
        return self.filter(state=ScorerVersion.State.RECEIVED)

    def ready(self) -> ScorerVersionQuerySet:
        return self.filter(state=ScorerVersion.State.READY)

    def names_in(self, names: Collection[str]) -> set[str]:
        """Those of these names in storage that a version has."""
        rows = self.filter(Q(stored__in=names) | Q(upload__in=names)).values_list("stored", "upload")
        return {name for row in rows for name in row if name}


class ScorerVersion(UploadedImage):
    class State(models.TextChoices):
        RECEIVED = "received", "being checked"
        READY = "ready", "ready"
        REFUSED = "refused", "refused"
        FAILED = "failed", "server error"
        DISCARDED = "discarded", "discarded"

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="scorer_versions")
    number = models.PositiveIntegerField()
    note = models.CharField(max_length=200, blank=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.RECEIVED)
    declaration = models.JSONField(
        default=dict, blank=True, help_text="Title, version and metrics: the label arboretum.scorer."
    )

    objects = ScorerVersionQuerySet.as_manager()

    class Meta:
        ordering = ["task", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["task", "number"], name="a_scorer_number_is_used_once")
        ]

    def __str__(self) -> str:
        return f"scorer {self.number} of {self.task}"

    @property
    def metrics(self) -> list[str]:
        return list(self.declaration.get("metrics", {}))

    @property
    def entry(self) -> dict[str, Any]:
        """For `Task.scorer` and `Task.newest_scorer`."""
        return scorer_entry(number=self.number, sha256=self.sha256, declaration=self.declaration)
