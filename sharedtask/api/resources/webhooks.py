"""Webhooks: addresses of yours that are called about events of a task."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from ninja import Router, Schema, Status
from pydantic import Field

from sharedtask.accounts import tokens
from sharedtask.accounts.models import Scope
from sharedtask.api.authentication import MAY_READ, MAY_WRITE, owner_of, token_of
from sharedtask.api.models import Webhook, WebhookEvent
from sharedtask.api.pagination import Page, Paging, page_of
from sharedtask.api.viewing import visible_task, without_nul
from sharedtask.api.webhooks import connect
from sharedtask.api.webhooks.deliver import PURPOSE
from sharedtask.api.webhooks.sign import new_secret
from sharedtask.core import clock, lockbox
from sharedtask.core.errors import Refusal

router = Router()
MAX_WEBHOOKS = 20


class WebhookOut(Schema):
    id: str
    task: str
    url: str
    events: list[WebhookEvent]
    created_at: datetime
    disabled_at: datetime | None = Field(description="Switched off after repeated failure.")
    failures: int


class NewWebhookOut(WebhookOut):
    secret: str = Field(description="Signs the deliveries (Standard Webhooks); shown only now.")


class WebhookIn(Schema):
    task: str = Field(max_length=50)
    url: str = Field(max_length=connect.MAX_LENGTH, description="A public address that begins with https://.")
    events: list[WebhookEvent] = Field(min_length=1, max_length=len(WebhookEvent))


@router.get("/webhooks", response=Page[WebhookOut], auth=MAY_READ, summary="Your webhooks")
def list_webhooks(request: HttpRequest, paging: Paging) -> dict[str, Any]:
    webhooks = list(owner_of(request).webhooks.select_related("task"))
    page = page_of(webhooks, paging, lambda webhook: webhook.public_id)
    return page | {"items": [webhook_out(webhook) for webhook in page["items"]]}


@router.post("/webhooks", response={201: NewWebhookOut}, auth=MAY_WRITE, summary="Create a webhook")
def create_webhook(request: HttpRequest, body: WebhookIn) -> Status[Any]:
    """Of runs of your team with the scope `submit`, of the rest with `submit` or `organise`."""
    if WebhookEvent.RUN_FINISHED in body.events:
        tokens.refuse_scope(token_of(request), Scope.SUBMIT)
    task, user = visible_task(request, body.task), owner_of(request)
    connect.refuse_unusable(body.url)
    if user.webhooks.count() >= MAX_WEBHOOKS:
        raise Refusal("too-many-webhooks", f"You have {MAX_WEBHOOKS} webhooks. Please delete one first.")
    secret = new_secret()
    webhook = Webhook.objects.create(
        user=user,
        task=task,
        url=body.url,
        events=sorted(set(body.events)),
        secret=lockbox.lock(secret, purpose=PURPOSE),
        created_at=clock.database_now(),
    )
    return Status(201, webhook_out(webhook) | {"secret": secret})


@router.delete("/webhooks/{webhook}", response={204: None}, auth=MAY_WRITE, summary="Delete a webhook")
def delete_webhook(request: HttpRequest, webhook: str) -> HttpResponse:
    removed, _ = owner_of(request).webhooks.filter(public_id=without_nul(webhook)).delete()
    if not removed:
        raise Http404("there is no such webhook of yours")
    return HttpResponse(status=204)


def webhook_out(webhook: Webhook) -> dict[str, Any]:
    return {
        "id": webhook.public_id,
        "task": webhook.task.slug,
        "url": webhook.url,
        "events": webhook.events,
        "created_at": webhook.created_at,
        "disabled_at": webhook.disabled_at,
        "failures": webhook.failures,
    }
