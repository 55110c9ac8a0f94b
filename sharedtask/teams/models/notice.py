"""What people are told, and what of it they do not want."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from sharedtask.competition.models import Task
from sharedtask.work.lease import Leased


class NoticeQuerySet(models.QuerySet["Notice"]):
    def unread(self) -> NoticeQuerySet:
        return self.filter(read_at=None)

    def to_be_mailed(self) -> NoticeQuerySet:
        """Neither sent nor given up."""
        unsent = self.filter(mailed_at=None, wants_mail=True)
        return unsent.filter(attempts__lt=Notice.MAX_ATTEMPTS, losses__lt=Notice.MAX_ATTEMPTS)


class Notice(Leased):
    """Something a person is told, on the site and, unless switched off, by mail."""

    class Kind(models.TextChoices):
        RECEIVED = "received", "an upload of my team was received"
        CHECKED = "checked", "a run of my team was checked"
        FAILED = "failed", "a run of my team failed or was refused"
        MESSAGE = "message", "organisers released a message to my team"
        PHASE = "phase", "a phase opens or is extended"
        SURPRISE = "surprise", "surprise languages are out"
        RESULTS = "results", "results are published"
        ANNOUNCEMENT = "announcement", "organisers write to all teams"
        REGISTRATION = "registration", "a registration is asked for, confirmed or declined"
        CLOSING = "closing", "a phase closes within a day"
        DECISION = "decision", "organisers reject, restore, combine or mark a run of my team"

    MAX_ATTEMPTS = 8

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notices")
    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=20, choices=Kind.choices)
    text = models.CharField(max_length=300)
    path = models.CharField(max_length=200, help_text="Where on the site to read more.")
    created_at = models.DateTimeField(default=timezone.now)
    read_at = models.DateTimeField(null=True, blank=True)
    mailed_at = models.DateTimeField(null=True, blank=True)
    wants_mail = models.BooleanField(default=True, help_text="As the person had chosen when it was written.")
    # The same event tells the same person once, however often it is noticed.
    event = models.CharField(max_length=120)

    objects = NoticeQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [models.UniqueConstraint(fields=["user", "event"], name="an_event_is_told_once")]
        indexes = [
            models.Index(fields=["event"], name="notices_by_event"),
            models.Index(
                fields=["created_at"],
                condition=Q(mailed_at=None, wants_mail=True),
                name="notices_to_be_mailed",
            ),
        ]

    def __str__(self) -> str:
        return self.text


class SwitchedOff(models.Model):
    """A kind of notice that a person does not want: by mail, or not even on the site."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="switched_off")
    kind = models.CharField(max_length=20, choices=Notice.Kind.choices)
    on_site_too = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "kind"], name="a_kind_is_switched_off_once")]

    def __str__(self) -> str:
        return f"{self.user}: no {self.kind}"
