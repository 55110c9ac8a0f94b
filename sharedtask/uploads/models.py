"""Resumable uploads and the parts in which they are stored.

The row is authoritative: an upload consists of its recorded parts, which end at `offset`. A part that was
stored and never recorded does not belong to it. `state` is how far it has come: receiving → received (every
byte is stored) → finished (its purpose has taken it over, with a receipt), or refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.urls import reverse
from django.utils.functional import cached_property

from sharedtask.core import storage
from sharedtask.core.errors import Refusal
from sharedtask.core.public_ids import new_public_id
from sharedtask.uploads.metadata import parse_metadata

FOLDER = "partial"
CHUNK = 256 * 1024


class ResumableUpload(models.Model):
    class State(models.TextChoices):
        RECEIVING = "receiving"
        RECEIVED = "received"
        FINISHED = "finished"
        REFUSED = "refused"

    OPEN = frozenset({State.RECEIVING, State.RECEIVED})

    public_id = models.CharField(max_length=32, unique=True, default=new_public_id, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="resumable_uploads"
    )
    purpose = models.CharField(max_length=40)
    metadata_header = models.TextField(help_text="Upload-Metadata as the client sent it; untrusted.")
    length = models.PositiveBigIntegerField(help_text="Announced size in bytes.")
    offset = models.PositiveBigIntegerField(default=0, help_text="Bytes stored so far.")
    writer = models.CharField(
        max_length=32, blank=True, help_text="The request that may append; each new request replaces it."
    )
    state = models.CharField(max_length=10, choices=State.choices, default=State.RECEIVING)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    received_at = models.DateTimeField(null=True, help_text="When the last byte arrived.")
    finishing_until = models.DateTimeField(
        null=True, help_text="Until then, one process may pass it on to its purpose."
    )
    receipt = models.CharField(max_length=200, blank=True, help_text="Address of what it has become.")
    refusal = models.JSONField(default=dict, help_text="Why its purpose refused it.")

    class Meta:
        indexes = [models.Index(fields=["state", "expires_at"])]
        constraints = [
            models.CheckConstraint(
                condition=Q(offset__lte=F("length")), name="an_offset_is_at_most_the_length"
            ),
            models.CheckConstraint(
                condition=Q(state="receiving", received_at=None)
                | (Q(offset=F("length"), received_at__isnull=False) & ~Q(state="receiving")),
                name="an_upload_is_received_when_it_is_complete",
            ),
        ]

    def __str__(self) -> str:
        return f"upload {self.public_id}"

    def get_absolute_url(self) -> str:
        return reverse("resumable-upload", args=[self.public_id])

    @cached_property
    def metadata(self) -> dict[str, str]:
        return parse_metadata(self.metadata_header)

    @property
    def folder(self) -> str:
        """Its parts in storage."""
        return f"{FOLDER}/{self.public_id}"

    @property
    def is_open(self) -> bool:
        return self.state in self.OPEN

    def chunks(self) -> Iterator[bytes]:
        """Everything that was received, for its purpose."""
        for part in self.parts.order_by("begin"):
            with part.open() as stream:
                while chunk := stream.read(CHUNK):
                    yield chunk


class Part(models.Model):
    upload = models.ForeignKey(ResumableUpload, on_delete=models.CASCADE, related_name="parts")
    begin = models.PositiveBigIntegerField()
    size_bytes = models.PositiveBigIntegerField()
    stored = models.CharField(max_length=200, help_text="Name in storage.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["upload", "begin"], name="a_part_begins_where_no_other_does")
        ]

    def __str__(self) -> str:
        return f"part of {self.upload} from {self.begin}"

    def open(self) -> BinaryIO:
        try:
            return storage.open_stream(self.stored)
        except FileNotFoundError as error:
            # Backups contain the rows of unfinished uploads and not their parts.
            raise Refusal(
                "upload-parts-lost",
                "The server was restored from a backup, and this upload is incomplete. Please upload again.",
            ) from error
