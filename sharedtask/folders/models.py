"""A task folder on its way in or out through the pages: a worker checks it, applies it or writes it.

The zip of an import is sealed by the web process for the workers. The zip of an export is sealed by a
worker for the browser that asked: its key lies in that browser's cookie and nowhere here.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from sharedtask.competition.models.task import Task
from sharedtask.core.public_ids import new_public_id
from sharedtask.work.lease import Leased


class FolderJobQuerySet(models.QuerySet["FolderJob"]):
    def waiting_for_a_worker(self) -> FolderJobQuerySet:
        return self.filter(state__in=[FolderJob.State.WAITING, FolderJob.State.AGREED])


class FolderJob(Leased):
    class Kind(models.TextChoices):
        IMPORT = "import"
        EXPORT = "export"

    class State(models.TextChoices):
        WAITING = "waiting", "a worker will look at it"
        PLANNED = "planned", "checked; an organiser has to agree"
        AGREED = "agreed", "a worker will apply it"
        REFUSED = "refused", "the folder has problems"
        DONE = "done"
        FAILED = "failed", "our fault"

    FINAL = frozenset({State.PLANNED, State.REFUSED, State.DONE, State.FAILED})

    public_id = models.CharField(max_length=32, unique=True, default=new_public_id, editable=False)
    task = models.ForeignKey(Task, null=True, on_delete=models.CASCADE, related_name="folder_jobs")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField(default=timezone.now)
    reason = models.TextField(blank=True)
    stored = models.CharField(max_length=200, blank=True, help_text="Name in storage of the sealed zip.")
    public_key = models.CharField(max_length=64, blank=True, help_text="Of the browser that asked to export.")
    plan = models.JSONField(default=list, blank=True, help_text="Lines of what would change, or changed.")
    notes = models.JSONField(default=list, blank=True)
    problems = models.JSONField(default=list, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = FolderJobQuerySet.as_manager()

    class Meta:
        ordering = ["-at", "-pk"]

    def __str__(self) -> str:
        return f"{self.kind} of {self.task or 'a new task'}"
