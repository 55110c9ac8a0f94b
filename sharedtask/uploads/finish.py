"""Finish: a received upload is handed over to its purpose, once.

In: an upload with all its bytes. Out: the upload with a receipt or a refusal. The request that sent the last
byte does it. If its process dies, the next request for the upload does it, or the sweep; the time when the
last byte arrived is recorded, so that this cannot make an upload late. One process at a time claims it, for a
limited time; purposes give the same receipt if they are called again nevertheless.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q

from sharedtask.core import clock, storage
from sharedtask.core.errors import Refusal
from sharedtask.uploads.models import ResumableUpload
from sharedtask.uploads.purposes import purpose_named

CLAIM = timedelta(minutes=10)
"""Longer than any purpose takes."""
RETRY_AFTER = timedelta(seconds=10)

log = logging.getLogger(__name__)


def finish(upload: ResumableUpload) -> None:
    """No effect unless everything is received and nobody else is finishing it."""
    if not claim(upload, at=clock.database_now()):
        upload.refresh_from_db()
        return
    try:
        receipt = purpose_named(upload.purpose).complete(upload)
    except Refusal as refusal:
        log.info("upload %s refused: %s", upload.public_id, refusal.id)
        record(upload, state=upload.State.REFUSED, refusal=refusal_as_json(refusal))
    except BaseException:
        # A server error, such as a full disk: it is tried again.
        claimed(upload).update(finishing_until=clock.database_now() + RETRY_AFTER)
        raise
    else:
        record(upload, state=upload.State.FINISHED, receipt=receipt)


def claim(upload: ResumableUpload, *, at: datetime) -> bool:
    free = Q(finishing_until=None) | Q(finishing_until__lte=at)
    return bool(claimed(upload).filter(free).update(finishing_until=at + CLAIM))


def claimed(upload: ResumableUpload) -> Any:
    return ResumableUpload.objects.filter(pk=upload.pk, state=ResumableUpload.State.RECEIVED)


def record(upload: ResumableUpload, **values: Any) -> None:
    """The row stays until it expires, so that a client that asks again gets the same response."""
    lifetime = purpose_named(upload.purpose).limits.lifetime
    claimed(upload).update(expires_at=clock.database_now() + lifetime, **values)
    upload.parts.all().delete()
    storage.remove(upload.folder)
    upload.refresh_from_db()


def refusal_as_json(refusal: Refusal) -> dict[str, str]:
    return {
        "id": refusal.id,
        "message": refusal.message,
        "found": refusal.found,
        "expected": refusal.expected,
    }


def stored_refusal(upload: ResumableUpload) -> Refusal:
    stored = upload.refusal
    return Refusal(stored["id"], stored["message"], found=stored["found"], expected=stored["expected"])
