"""An organiser's acts on runs of the blind task."""

from __future__ import annotations

from django.test import Client

from sharedtask.competition.models import AuditEntry
from sharedtask.submissions.models import Run

ORGANISE = "/tasks/blind/organise/"


def logged(action: str) -> AuditEntry:
    return AuditEntry.objects.get(action=action)


def refreshed(run: Run) -> Run:
    return Run.objects.get(pk=run.pk)


def moderate(desk: Client, run: Run, act: str, **form: str) -> str:
    address = f"{ORGANISE}runs/{run.public_id}/{act}/"
    return desk.post(address, form, follow=True).content.decode()
