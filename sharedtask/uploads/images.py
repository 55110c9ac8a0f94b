"""Uploaded images of containers: what those of teams and of organisers have in common.

A resumable upload is stored under the name of `stored_upload`; a worker checks and rewrites it
(`core/images.py`), and the row is then ready, or refused with the reason of `refusal_of`.
"""

from __future__ import annotations

from datetime import timedelta
from pathlib import PurePath

from django.conf import settings
from django.db import models
from django.utils import timezone

from airlock.images import ImageRefused
from sharedtask.core import storage
from sharedtask.core.public_ids import new_public_id
from sharedtask.uploads.models import ResumableUpload
from sharedtask.uploads.purposes import Purpose, PurposeLimits
from sharedtask.work.failure import printable
from sharedtask.work.lease import Leased

MAX_TEXT_LENGTH = 1000


class UploadedImage(Leased):
    public_id = models.CharField(max_length=32, unique=True, default=new_public_id, editable=False)
    uploaded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    filename = models.CharField(max_length=200, help_text="The file name on the uploader's computer.")
    received_at = models.DateTimeField(default=timezone.now)
    upload = models.CharField(max_length=200, blank=True, help_text="Name in storage of the archive as sent.")
    refusal = models.JSONField(default=dict, blank=True)
    stored = models.CharField(max_length=200, blank=True, help_text="Name in storage of the checked image.")
    sha256 = models.CharField(max_length=64, blank=True, help_text="Of the stored image.")
    image_id = models.CharField(max_length=80, blank=True)
    size_bytes = models.PositiveBigIntegerField(default=0, help_text="As stored.")

    class Meta:
        abstract = True


class ImagePurpose(Purpose):
    @property
    def limits(self) -> PurposeLimits:
        size: int = settings.IMAGE_MAX_BYTES
        return PurposeLimits(
            upload_bytes=size, open_uploads=4, open_bytes=2 * size, lifetime=timedelta(hours=48)
        )


def stored_upload(upload: ResumableUpload) -> str:
    """Store what was received as one file; its name in storage."""
    name = f"images/upload-{upload.public_id}"
    storage.store(name, upload.chunks())
    return name


def displayed_name(upload: ResumableUpload) -> str:
    filename = upload.metadata.get("filename", "")
    return PurePath(filename.replace("\\", "/").replace("\0", "")).name[-200:] or "image"


def refusal_of(refused: ImageRefused) -> dict[str, str]:
    """For the field `refusal`; quotes of the image in it are made printable."""
    return {
        "id": refused.id,
        "message": printable(refused.message, longest=MAX_TEXT_LENGTH),
        "hint": printable(refused.hint, longest=MAX_TEXT_LENGTH),
    }
