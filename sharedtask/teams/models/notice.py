"""Notices to people, and how they want each kind of them."""

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
        """Neither sent nor given up after too many attempts."""
        unsent = self.filter(mailed_at=None, wants_mail=True)
        return unsent.filter(attempts__lt=Notice.MAX_ATTEMPTS, losses__lt=Notice.MAX_ATTEMPTS)


class Notice(Leased):
    """A message to a person, shown on the site and, unless switched off, sent by e-mail."""

    class Kind(models.TextChoices):
        RECEIVED = "received", "Upload received"
        CHECKED = "checked", "Run checked"
        SCORED = "scored", "Run scored"
        FAILED = "failed", "Run failed or refused"
        MESSAGE = "message", "Message from the organisers to your team"
        PHASE = "phase", "Phase opened or extended"
        SURPRISE = "surprise", "Surprise languages revealed"
        RESULTS = "results", "Results published"
        ANNOUNCEMENT = "announcement", "Announcement to all teams"
        REGISTRATION = "registration", "Registration requested, confirmed or declined"
        CLOSING = "closing", "Phase closes within a day"
        SOFTWARE = "software", "Image checked; execution ended or stalled"
        WEBHOOK = "webhook", "Webhook switched off"
        DECISION = "decision", "Run rejected, restored, combined or marked by organisers"

    class Channel(models.TextChoices):
        BOTH = "both", "site and e-mail"
        SITE = "site", "site only"
        NEITHER = "neither", "off"

    SITE_ONLY = frozenset({Kind.RECEIVED})
    """By default without an e-mail: another one follows about the same run."""
    ABOUT_RUNS = frozenset({Kind.RECEIVED, Kind.CHECKED, Kind.SCORED})
    """A team may upload many runs; their e-mails are put together. Failures are reported at once."""
    MAX_ATTEMPTS = 8

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notices")
    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=20, choices=Kind.choices)
    text = models.CharField(max_length=300)
    path = models.CharField(max_length=200, help_text="The page to read more.")
    created_at = models.DateTimeField(default=timezone.now)
    read_at = models.DateTimeField(null=True, blank=True)
    mailed_at = models.DateTimeField(null=True, blank=True)
    wants_mail = models.BooleanField(
        default=True, help_text="As the person had chosen when the notice was written."
    )
    mail_after = models.DateTimeField(
        null=True, blank=True, help_text="The e-mail waits until then, for others to be sent with it."
    )
    # A person gets one notice per event, however often the event is reported.
    event = models.CharField(max_length=120)

    objects = NoticeQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [models.UniqueConstraint(fields=["user", "event"], name="an_event_gives_one_notice")]
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

    @classmethod
    def default_channel(cls, kind: str) -> Notice.Channel:
        return cls.Channel.SITE if kind in cls.SITE_ONLY else cls.Channel.BOTH


class NoticeChoice(models.Model):
    """How a person wants a kind of notice, where it differs from the default of that kind."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notice_choices"
    )
    kind = models.CharField(max_length=20, choices=Notice.Kind.choices)
    channel = models.CharField(max_length=10, choices=Notice.Channel.choices)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "kind"], name="one_choice_per_kind")]

    def __str__(self) -> str:
        return f"{self.user}: {self.kind} {self.channel}"
