"""Access tokens, with which programs use the API on behalf of a person."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db import models

from sharedtask.core.public_ids import new_public_id


class Scope(models.TextChoices):
    READ = "read", "read what you can read on the site"
    SUBMIT = "submit", "upload runs and manage the runs of your teams"
    ORGANISE = "organise", "organise your tasks"


class AccessTokenQuerySet(models.QuerySet["AccessToken"]):
    def usable(self, *, at: datetime) -> AccessTokenQuerySet:
        return self.filter(revoked_at=None, expires_at__gt=at)


class AccessToken(models.Model):
    """The token itself is shown once and not stored; its hash is enough to recognise it."""

    public_id = models.CharField(max_length=32, unique=True, default=new_public_id, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="access_tokens")
    name = models.CharField(max_length=80, help_text="For the person: where the token is used.")
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the token.")
    hint = models.CharField(max_length=12, help_text="The first characters, to recognise it in a list.")
    scopes = models.JSONField(default=list)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, blank=True, help_text="To within a few minutes.")
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = AccessTokenQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-pk"]

    def __str__(self) -> str:
        return f"{self.name} ({self.hint}…)"

    def allows(self, scope: str) -> bool:
        return scope in self.scopes
