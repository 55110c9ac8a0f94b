"""Remove uploads: cancelled ones, expired ones, and files that belong to none.

The row goes first. A request that is still appending then finds no row to record its next segment in, and
removes it; whatever is left by a process that died belongs to no upload, and the sweep removes it.
"""

from __future__ import annotations

import logging
from collections.abc import Collection
from datetime import datetime
from pathlib import PurePosixPath

from sharedtask.core import storage
from sharedtask.uploads.finish import finish
from sharedtask.uploads.models import ResumableUpload

log = logging.getLogger(__name__)


def remove(upload: ResumableUpload) -> None:
    folder = upload.folder
    upload.delete()
    storage.remove(folder)


def remove_expired(*, at: datetime) -> int:
    """Except received uploads that wait for their receipt: nothing that was received is lost."""
    expired = ResumableUpload.objects.filter(expires_at__lt=at).exclude(state=ResumableUpload.State.RECEIVED)
    for upload in expired:
        remove(upload)
    return len(expired)


def finish_received() -> int:
    """Uploads whose last byte arrived, and whose process died before they got a receipt."""
    waiting = ResumableUpload.objects.filter(state=ResumableUpload.State.RECEIVED)
    finished = 0
    for upload in waiting:
        try:
            finish(upload)
        except Exception:
            # One that fails must not stop the sweep, nor the others.
            log.exception("upload %s could not be finished", upload.public_id)
        finished += not upload.is_open
    return finished


def without_upload(names: Collection[str]) -> list[str]:
    """Those of these names in storage whose upload does not exist any more."""
    by_name = {name: PurePosixPath(name).parts[1] for name in names}
    rows = ResumableUpload.objects.filter(public_id__in=set(by_name.values()))
    known = set(rows.values_list("public_id", flat=True))
    return [name for name, public_id in by_name.items() if public_id not in known]
