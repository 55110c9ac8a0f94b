"""Check an image that was submitted, and store it rewritten, under the hash of its content.

In: a claimed image with its upload in storage. Out: the image ready or refused, and the upload removed.
When a version of a system is ready, it is run on the development data at once.
"""

from __future__ import annotations

import logging
from datetime import datetime
from typing import Any

from django.db import transaction

from airlock.images import Image, ImageRefused, labels
from sharedtask.competition.models import Phase
from sharedtask.competition.tracks import track_codes
from sharedtask.core import clock, storage
from sharedtask.core.errors import Refusal
from sharedtask.core.images import MEBIBYTE, rewritten_image
from sharedtask.core.limits import readable_bytes
from sharedtask.software import notify
from sharedtask.software.models import StoredImage, SystemVersion
from sharedtask.software.request_execution import request_execution
from sharedtask.uploads.images import refusal_of
from sharedtask.work.failure import Failure, printable
from sharedtask.work.lease import released

log = logging.getLogger(__name__)


def check_image(image: StoredImage) -> None:
    upload = image.upload
    try:
        values = store_rewritten(image)
    except ImageRefused as refused:
        refuse(image, refused)
    else:
        # Together, so that a ready image never waits for an execution that nobody requests any more.
        with transaction.atomic():
            # Without a model it would only fail.
            if finish(image, **values) and not image.only_trains:
                run_on_development_data(image)
    storage.remove(upload)


def store_rewritten(image: StoredImage) -> dict[str, Any]:
    with rewritten_image(image.upload) as rewritten:
        checked = rewritten.image
        refuse_scorer(checked)
        refuse_beyond_storage(image, checked)
        stored = rewritten.store()
    return {
        "stored": stored,
        "sha256": checked.sha256,
        "image_id": checked.image_id,
        "size_bytes": checked.size_bytes,
        "unpacked_bytes": checked.uncompressed_bytes,
        "layers": checked.layers,
        "declares": dict(checked.declares),
        "command": [printable(part, longest=200) for part in checked.command[:20]],
    }


def refuse_scorer(checked: Image) -> None:
    if labels.SCORER in checked.declares:
        raise ImageRefused(
            "image-is-scorer",
            f"The image has the label {labels.SCORER}: it is a scorer for organisers, not a system.",
            "Remove the label if it is a system.",
        )


def refuse_beyond_storage(image: StoredImage, checked: Image) -> None:
    limit = image.team.task.software_storage_megabytes * MEBIBYTE
    others = StoredImage.objects.filter(team=image.team).retained().exclude(pk=image.pk)
    used = others.exclude(sha256=checked.sha256).total_bytes()
    if used + checked.size_bytes > limit:
        raise ImageRefused(
            "storage-full",
            f"The stored images of your team would take {readable_bytes(used + checked.size_bytes)}; "
            f"the limit is {readable_bytes(limit)}.",
            "Remove images that you no longer need, or ask the organisers for more storage.",
        )


def finish(image: StoredImage, **values: Any) -> bool:
    at = clock.database_now()
    with transaction.atomic():
        waiting = StoredImage.objects.waiting_for_a_check().filter(pk=image.pk)
        if not waiting.update(state=StoredImage.State.READY, upload="", **values, **released()):
            return False
        image.refresh_from_db()
        notify.send_image_ready(image, at=at)
    return True


def refuse(image: StoredImage, refused: ImageRefused) -> None:
    at = clock.database_now()
    with transaction.atomic():
        waiting = StoredImage.objects.waiting_for_a_check().filter(pk=image.pk)
        if waiting.update(
            state=StoredImage.State.REFUSED,
            refusal=refusal_of(refused),
            size_bytes=0,
            upload="",
            **released(),
        ):
            notify.send_image_refused(image, at=at)


def give_up(image: StoredImage, failure: Failure) -> None:
    waiting = StoredImage.objects.waiting_for_a_check().filter(pk=image.pk)
    waiting.update(state=StoredImage.State.FAILED, failure=failure.as_json(), **released())


def run_on_development_data(image: StoredImage, *, at: datetime | None = None) -> None:
    """Every new version, in every open development phase that accepts software, if the quota allows it."""
    at = at or clock.database_now()
    versions = SystemVersion.objects.filter(image=image, executions=None).select_related(
        "system__team__task", "image"
    )
    for version in versions:
        team = version.system.team
        phases = team.task.phases.open(at=at, team=team).filter(software=True, kind=Phase.Kind.DEVELOPMENT)
        for phase in phases.select_related("task"):
            tracks = track_codes(phase)
            if len(tracks) != 1:
                log.info("%s is not run in %s: the team has to choose a track", version, phase)
                continue
            try:
                request_execution(version=version, phase=phase, track=tracks[0], by=image.uploaded_by)
            except Refusal as refusal:
                log.info("%s is not run in %s: %s", version, phase, refusal.id)
