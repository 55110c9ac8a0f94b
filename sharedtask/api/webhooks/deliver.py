"""Deliver webhooks: a kind of work, with retries, that switches a webhook off after repeated failure."""

from __future__ import annotations

import json
import logging
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, QuerySet
from django.urls import reverse

from sharedtask.accounts.models import User
from sharedtask.api.models import Delivery, Webhook
from sharedtask.api.webhooks import connect
from sharedtask.api.webhooks.events import WINDOW, events_for
from sharedtask.api.webhooks.sign import signed_headers
from sharedtask.core import clock, lockbox
from sharedtask.teams.models import Notice
from sharedtask.teams.notices.send import send_notices
from sharedtask.work.failure import Failure
from sharedtask.work.kinds import WorkKind
from sharedtask.work.lease import released
from sharedtask.work.retry import RetryPolicy
from sharedtask.work.targets import DELIVER_WEBHOOKS

PURPOSE = "webhook"
MAX_FAILURES = 3
"""Deliveries that were given up one after the other, each after all its attempts."""
RETENTION = 2 * WINDOW

log = logging.getLogger(__name__)


class DeliverWebhooks(WorkKind[Delivery]):
    """A worker that dies after the call causes a second one with the same id: better than none."""

    target = DELIVER_WEBHOOKS
    stage = "webhook"
    related = ("webhook__user", "webhook__task")
    lease = timedelta(minutes=2)
    patience = timedelta(seconds=60)
    retries = RetryPolicy(
        max_attempts=7, max_losses=7, first_pause=timedelta(minutes=1), max_pause=timedelta(hours=6)
    )

    def waiting(self) -> QuerySet[Delivery]:
        enabled = Webhook.objects.enabled()
        return Delivery.objects.filter(state=Delivery.State.WAITING, webhook__in=enabled)

    def discover(self, *, at: datetime) -> None:
        """Create the deliveries of what has happened, and remove old ones."""
        Delivery.objects.filter(created_at__lt=at - RETENTION).delete()
        for webhook in Webhook.objects.enabled().select_related("user", "task"):
            known = set(webhook.deliveries.values_list("event", flat=True))
            new = [event for event in events_for(webhook, at=at) if event.key not in known]
            Delivery.objects.bulk_create(
                [
                    Delivery(
                        webhook=webhook,
                        event=event.key,
                        payload=event.payload,
                        created_at=at,
                        dispatched_at=None,
                    )
                    for event in new
                ],
                ignore_conflicts=True,
            )

    def process(self, row: Delivery) -> None:
        body = json.dumps(row.payload, separators=(",", ":")).encode()
        secret = lockbox.unlock(row.webhook.secret, purpose=PURPOSE)
        headers = signed_headers(secret, id=row.public_id, at=clock.database_now(), body=body)
        connect.post(row.webhook.url, body, headers)
        with transaction.atomic():
            Delivery.objects.filter(pk=row.pk).update(state=Delivery.State.DELIVERED, **released())
            Webhook.objects.filter(pk=row.webhook_id).update(failures=0)

    def give_up(self, row: Delivery, failure: Failure) -> None:
        at = clock.database_now()
        with transaction.atomic():
            Delivery.objects.filter(pk=row.pk).update(state=Delivery.State.FAILED, **released())
            webhooks = Webhook.objects.filter(pk=row.webhook_id, disabled_at=None)
            webhooks.update(failures=F("failures") + 1)
            if webhooks.filter(failures__gte=MAX_FAILURES).update(disabled_at=at):
                self.notify(row.webhook, at=at)

    def notify(self, webhook: Webhook, *, at: datetime) -> None:
        send_notices(
            people=User.objects.filter(pk=webhook.user_id),
            task=webhook.task,
            kind=Notice.Kind.WEBHOOK,
            event=f"webhook-off:{webhook.public_id}",
            text=f"Your webhook for {webhook.task.title} failed repeatedly and was switched off.",
            path=reverse("api-reference"),
            at=at,
        )

    def note(self, error: BaseException) -> str:
        """Without the address, which may contain a secret of its owner."""
        return f"{type(error).__name__} {error if isinstance(error, connect.BadStatus) else ''}".strip()
