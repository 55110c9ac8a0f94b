"""Answers that are stored so that a repeated request is not carried out twice; and webhooks."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from sharedtask.accounts.models import AccessToken
from sharedtask.competition.models import Task
from sharedtask.core.public_ids import new_public_id
from sharedtask.work.lease import Leased


class StoredAnswer(models.Model):
    """The answer to the first request with an Idempotency-Key; without a status, that request is running."""

    public_id = models.CharField(
        max_length=32,
        unique=True,
        default=new_public_id,
        editable=False,
        help_text="Also the id of the run that the request creates, so that it creates at most one.",
    )
    token = models.ForeignKey(AccessToken, on_delete=models.CASCADE, related_name="stored_answers")
    key = models.CharField(max_length=200)
    fingerprint = models.CharField(max_length=64, help_text="Of method, address and body.")
    created_at = models.DateTimeField()
    running_until = models.DateTimeField(help_text="Until then, one request may be carrying it out.")
    status = models.PositiveSmallIntegerField(null=True)
    body = models.TextField(blank=True, help_text="Encrypted.")
    location = models.CharField(max_length=300, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["token", "key"], name="a_token_uses_an_idempotency_key_once")
        ]
        indexes = [models.Index(fields=["created_at"])]

    def __str__(self) -> str:
        return f"answer to {self.key}"


class WebhookEvent(models.TextChoices):
    RUN_FINISHED = "run.finished", "a run of your team was checked or scored, as far as its page shows this"
    RESULTS_PUBLISHED = "results.published", "results of the task were published"
    PHASE_OPENED = "phase.opened", "a phase of the task has opened"


class WebhookQuerySet(models.QuerySet["Webhook"]):
    def enabled(self) -> WebhookQuerySet:
        return self.filter(disabled_at=None, user__is_active=True)


class Webhook(models.Model):
    """An address of a person that is called about events of a task."""

    public_id = models.CharField(max_length=32, unique=True, default=new_public_id, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="webhooks")
    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="webhooks")
    url = models.CharField(max_length=300)
    events = models.JSONField(default=list)
    secret = models.TextField(help_text="Signs the deliveries; encrypted.")
    created_at = models.DateTimeField()
    failures = models.PositiveIntegerField(default=0, help_text="Deliveries given up since the last success.")
    disabled_at = models.DateTimeField(null=True, blank=True, help_text="When it was switched off.")

    objects = WebhookQuerySet.as_manager()

    class Meta:
        ordering = ["created_at", "pk"]

    def __str__(self) -> str:
        return f"webhook {self.public_id}"


class Delivery(Leased):
    """A call that is to be made. Its public id is the id of the message, equal at every attempt."""

    class State(models.TextChoices):
        WAITING = "waiting"
        DELIVERED = "delivered"
        FAILED = "failed"

    public_id = models.CharField(max_length=32, unique=True, default=new_public_id, editable=False)
    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    event = models.CharField(max_length=120, help_text="What happened; each event is delivered once.")
    payload = models.JSONField(default=dict)
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    created_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "deliveries"
        constraints = [
            models.UniqueConstraint(fields=["webhook", "event"], name="a_webhook_is_called_once_per_event")
        ]
        indexes = [models.Index(fields=["state"])]

    def __str__(self) -> str:
        return f"{self.event} to {self.webhook}"
