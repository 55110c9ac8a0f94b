"""Which events a webhook is called about: those that its owner sees on a page at this moment.

In: a webhook and the time. Out: `Event`s. They are found in the database, so that none is lost when a process
dies and none is sent before the page shows it. Payloads have ids, the visible state and addresses; whoever
wants to know more asks the API, as themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q
from django.urls import reverse

from sharedtask.api.models import Webhook, WebhookEvent
from sharedtask.core.site_address import absolute
from sharedtask.submissions import run_access
from sharedtask.teams import team_access

WINDOW = timedelta(days=3)
"""Older events are not sent, for example after a long outage."""


@dataclass(frozen=True, kw_only=True)
class Event:
    key: str
    type: WebhookEvent
    at: datetime
    data: dict[str, Any]

    @property
    def payload(self) -> dict[str, Any]:
        return {"type": str(self.type), "timestamp": self.at.isoformat(), "data": self.data}


def events_for(webhook: Webhook, *, at: datetime) -> Iterator[Event]:
    since = max(webhook.created_at, at - WINDOW)
    if WebhookEvent.RUN_FINISHED in webhook.events:
        yield from finished_runs(webhook, since, at=at)
    if WebhookEvent.RESULTS_PUBLISHED in webhook.events:
        for publication in webhook.task.publications.filter(at__gte=since, at__lte=at).order_by("at"):
            address = absolute(reverse("leaderboard", args=[webhook.task.slug]))
            data = {"task": webhook.task.slug, "url": address}
            key = f"{WebhookEvent.RESULTS_PUBLISHED}:{publication.pk}"
            yield Event(key=key, type=WebhookEvent.RESULTS_PUBLISHED, at=publication.at, data=data)
    if WebhookEvent.PHASE_OPENED in webhook.events:
        for phase in webhook.task.phases.filter(opens_at__gte=since, opens_at__lte=at):
            address = absolute(webhook.task.get_absolute_url())
            data = {"task": webhook.task.slug, "phase": phase.code, "url": address}
            key = f"{WebhookEvent.PHASE_OPENED}:{phase.code}:{phase.opens_at.isoformat()}"
            yield Event(key=key, type=WebhookEvent.PHASE_OPENED, at=phase.opens_at, data=data)


def finished_runs(webhook: Webhook, since: datetime, *, at: datetime) -> Iterator[Event]:
    """Of the owner's own team, in the state that its page shows."""
    user, task = webhook.user, webhook.task
    user.acts_as_participant = True  # type: ignore[attr-defined]
    team = team_access.team_of(user, task)
    recent = Q(checked_at__gte=since) | Q(finished_at__gte=since)
    runs = run_access.own_runs(user, task, team).filter(recent)
    for run, state in run_access.states_of_own_runs(user, task, runs, at=at):
        if run.is_final or state == "checked":
            data = {
                "task": task.slug,
                "run": run.public_id,
                "state": state,
                "url": absolute(run.get_absolute_url()),
                "api_url": absolute(reverse("api:run", args=[run.public_id])),
            }
            key = f"{WebhookEvent.RUN_FINISHED}:{run.public_id}"
            # When it was checked or scored may depend on gold, so that the time is that of the receipt.
            yield Event(key=key, type=WebhookEvent.RUN_FINISHED, at=run.received_at, data=data)
