"""Requests of programs without a browser for a token, as in RFC 8628: a person confirms a short code."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db import models

from sharedtask.accounts.models.access_token import AccessToken
from sharedtask.core.public_ids import new_public_id


class DeviceAuthorizationQuerySet(models.QuerySet["DeviceAuthorization"]):
    def waiting(self, *, at: datetime) -> DeviceAuthorizationQuerySet:
        return self.filter(state=DeviceAuthorization.State.WAITING, expires_at__gt=at)


class DeviceAuthorization(models.Model):
    class State(models.TextChoices):
        WAITING = "waiting"
        APPROVED = "approved"
        DENIED = "denied"
        USED = "used"

    public_id = models.CharField(max_length=32, unique=True, default=new_public_id, editable=False)
    device_digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the device code.")
    user_code = models.CharField(max_length=12, unique=True, help_text="What the person enters or compares.")
    client_name = models.CharField(max_length=80, help_text="What the program says about itself.")
    scopes = models.JSONField(default=list)
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    last_polled_at = models.DateTimeField(null=True)
    approved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE, related_name="+"
    )
    token = models.ForeignKey(AccessToken, null=True, on_delete=models.SET_NULL, related_name="+")

    objects = DeviceAuthorizationQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-pk"]

    def __str__(self) -> str:
        return f"{self.client_name} {self.user_code}"
