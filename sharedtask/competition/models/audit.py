"""The append-only audit log of organisers' acts, and announcements to all teams."""

from __future__ import annotations

from typing import Any, NoReturn

from django.conf import settings
from django.db import models
from django.utils import timezone

from sharedtask.competition.audit_actions import action_label
from sharedtask.competition.models.task import Task


def lines_of(value: Any) -> list[str]:
    """What was recorded, without the notation of a programming language."""
    if isinstance(value, dict):
        return [f"{name}: {', '.join(lines_of(part))}" for name, part in value.items()] or ["none"]
    if isinstance(value, list):
        return [", ".join(lines_of(part)) for part in value] or ["none"]
    if isinstance(value, bool):
        return ["yes" if value else "no"]
    return ["none" if value in (None, "") else str(value)]


class AppendOnly(models.QuerySet["AuditEntry"]):
    def update(self, **kwargs: Any) -> NoReturn:
        raise TypeError("the audit log is append-only")

    def delete(self) -> NoReturn:
        raise TypeError("the audit log is append-only")


class AuditEntry(models.Model):
    """Who did what, when and why. Written by `competition.audit.write`, never changed."""

    task = models.ForeignKey(Task, null=True, on_delete=models.PROTECT, related_name="audit")
    at = models.DateTimeField(default=timezone.now)
    # The entry is kept when the account is deleted; the id then refers to no account.
    who = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.DO_NOTHING,
        related_name="+",
        db_constraint=False,
    )
    who_name = models.CharField(
        max_length=150, help_text="The name at that time; kept when the account is deleted."
    )
    action = models.SlugField(max_length=60)
    subject = models.CharField(max_length=200, help_text="What was acted on, as text.")
    reason = models.TextField(blank=True)
    details = models.JSONField(default=dict, blank=True)

    objects = AppendOnly.as_manager()

    class Meta:
        ordering = ["-at", "-pk"]
        verbose_name_plural = "audit entries"

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} {self.who_name}: {self.action} {self.subject}"

    @property
    def action_label(self) -> str:
        return action_label(self.action)

    @property
    def labelled_details(self) -> list[tuple[str, list[str]]]:
        """The names of the details with their lines of text: `closes_at` becomes “closes at”.

        Pairs, because a template would take a detail called `items` for the method of a dictionary.
        """
        return [(name.replace("_", " "), lines_of(value)) for name, value in self.details.items()]


class Announcement(models.Model):
    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="announcements")
    at = models.DateTimeField(default=timezone.now)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    subject = models.CharField(max_length=150)
    text = models.TextField(help_text="Markdown.")

    class Meta:
        ordering = ["-at"]

    def __str__(self) -> str:
        return self.subject
