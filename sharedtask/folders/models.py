"""Import or export of a task folder on the site: a worker checks, applies or writes it.

The web process seals the zip of an import for the workers. A worker seals the zip of an export for the
browser that requested it; the key is in a cookie of that browser and is not stored here.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from sharedtask.competition.models.task import Task
from sharedtask.competition.models.testset import TestSet
from sharedtask.core.public_ids import new_public_id
from sharedtask.work.lease import Leased


class FolderJobQuerySet(models.QuerySet["FolderJob"]):
    def waiting_for_a_worker(self) -> FolderJobQuerySet:
        return self.filter(state__in=[FolderJob.State.WAITING, FolderJob.State.APPROVED])


class FolderJob(Leased):
    class Kind(models.TextChoices):
        IMPORT = "import"
        EXPORT = "export"
        CORRECTION = "correction"

    class State(models.TextChoices):
        WAITING = "waiting", "waiting for a worker"
        PLANNED = "planned", "checked; waiting for approval"
        APPROVED = "approved", "approved; waiting for a worker"
        REFUSED = "refused", "the folder has problems"
        DONE = "done"
        FAILED = "failed", "server error"

    FINAL = frozenset({State.PLANNED, State.REFUSED, State.DONE, State.FAILED})

    public_id = models.CharField(max_length=32, unique=True, default=new_public_id, editable=False)
    task = models.ForeignKey(Task, null=True, on_delete=models.CASCADE, related_name="folder_jobs")
    test_set = models.ForeignKey(
        TestSet,
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="+",
        help_text="Of a correction: a single gold file instead of a folder.",
    )
    kind = models.CharField(max_length=10, choices=Kind.choices)
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField(default=timezone.now)
    reason = models.TextField(blank=True)
    stored = models.CharField(max_length=200, blank=True, help_text="Name in storage of the sealed zip.")
    public_key = models.CharField(
        max_length=64, blank=True, help_text="Of the browser that requested the export."
    )
    plan = models.JSONField(default=list, blank=True, help_text="Planned or applied changes, one per line.")
    notes = models.JSONField(default=list, blank=True)
    disclosures = models.JSONField(default=list, blank=True, help_text="What becomes visible, and when.")
    problems = models.JSONField(default=list, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = FolderJobQuerySet.as_manager()

    class Meta:
        ordering = ["-at", "-pk"]

    def __str__(self) -> str:
        return f"{self.kind} of {self.task or 'a new task'}"
