"""Create: an announced upload gets a row, or a refusal with the reason.

In: the user, the purpose, the metadata and the announced length. Out: a `ResumableUpload` without any bytes.
Limits are checked here, before a byte is accepted: what has been announced counts in full, so that nobody is
stopped half-way. The purpose has already decided whether this person may upload.
"""

from __future__ import annotations

import shutil

from django.db import transaction
from django.db.models import Count, Sum

from sharedtask.accounts.models import User
from sharedtask.core import clock, storage
from sharedtask.core.errors import Refusal
from sharedtask.core.limits import readable_bytes
from sharedtask.uploads.models import ResumableUpload
from sharedtask.uploads.purposes import Purpose, PurposeLimits

RESERVED_BYTES = 64 * 1024 * 1024
"""Left free on the disk of the server for everything else."""


class DiskFull(Exception):
    """There is no space for an upload of this size now."""


def create(*, user: User, purpose: Purpose, metadata_header: str, length: int) -> ResumableUpload:
    refuse_size(length, purpose.limits)
    refuse_full_disk(length)
    at = clock.database_now()
    with transaction.atomic():
        # One at a time counts the uploads of a person.
        User.objects.select_for_update().get(pk=user.pk)
        refuse_too_many(user, purpose, length)
        return ResumableUpload.objects.create(
            user=user,
            purpose=purpose.name,
            metadata_header=metadata_header,
            length=length,
            created_at=at,
            expires_at=at + purpose.limits.lifetime,
        )


def refuse_size(length: int, limits: PurposeLimits) -> None:
    if length == 0:
        raise Refusal("upload-empty", "The uploaded file is empty (0 bytes).", expected="at least one byte")
    if length > limits.upload_bytes:
        raise Refusal(
            "upload-too-large",
            f"The upload is {readable_bytes(length)}, which is larger than the limit of "
            f"{readable_bytes(limits.upload_bytes)}.",
            found=readable_bytes(length),
            expected=f"at most {readable_bytes(limits.upload_bytes)}",
        )


def refuse_full_disk(length: int) -> None:
    """Every upload passes through this disk, in segments if it is stored elsewhere."""
    needed = length if storage.is_on_this_disk() else 0
    if shutil.disk_usage(storage.incoming_folder()).free < needed + RESERVED_BYTES:
        raise DiskFull


def refuse_too_many(user: User, purpose: Purpose, length: int) -> None:
    limits = purpose.limits
    rows = user.resumable_uploads.filter(purpose=purpose.name, state__in=ResumableUpload.OPEN)
    usage = rows.aggregate(number=Count("pk"), size=Sum("length"))
    hours = round(limits.lifetime.total_seconds() / 3600)
    advice = (
        f"Finish or cancel one of them; an unfinished upload is removed after {hours} hours without progress."
    )
    if usage["number"] >= limits.open_uploads:
        raise Refusal(
            "too-many-open-uploads",
            f"You have {usage['number']} unfinished uploads, which is the limit per person. {advice}",
            found=str(usage["number"]),
            expected=f"fewer than {limits.open_uploads}",
        )
    total = (usage["size"] or 0) + length
    if total > limits.open_bytes:
        raise Refusal(
            "open-uploads-too-large",
            f"Your unfinished uploads and this one have {readable_bytes(total)} in total; the limit per "
            f"person is {readable_bytes(limits.open_bytes)}. {advice}",
            found=readable_bytes(total),
            expected=f"at most {readable_bytes(limits.open_bytes)}",
        )
