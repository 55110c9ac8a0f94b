"""Answers that are stored so that a repeated request is not carried out twice."""

from __future__ import annotations

from django.db import models

from sharedtask.accounts.models import AccessToken
from sharedtask.core.public_ids import new_public_id


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
    body = models.TextField(blank=True)
    location = models.CharField(max_length=300, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["token", "key"], name="a_token_uses_an_idempotency_key_once")
        ]
        indexes = [models.Index(fields=["created_at"])]

    def __str__(self) -> str:
        return f"answer to {self.key}"
