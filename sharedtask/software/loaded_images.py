"""The images that an engine has: load those that are needed, and remove others before its disk is full.

An image stays after its execution, because the next one of the same system needs it again. Before another one
is loaded, those that no execution needs are removed, the least recently used first, until all fit into
`AIRLOCK_IMAGES_BYTES`. If the engine cannot load an image, all unused ones are removed and it is tried again.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from contextlib import suppress

from django.conf import settings
from django.db.models import Max

from airlock.engine import Engine, EngineFailure, ImageNotAccepted
from sharedtask.core import storage
from sharedtask.software.models import Execution

IMAGE_ID = "instructions__image__image_id"

log = logging.getLogger(__name__)


def load_image(engine: Engine, execution: Execution) -> None:
    image = execution.instructions["image"]
    if engine.has_image(image["image_id"]):
        return
    make_room(engine, image.get("unpacked_bytes", 0))
    with storage.local_copy(image["stored"]) as path, path.open("rb") as archive:
        try:
            engine.load(archive, image["image_id"])
        except (EngineFailure, ImageNotAccepted) as error:
            if not remove(engine, unused_images(engine)):
                raise
            log.warning("loading an image again after removing unused ones: %s", error)
            archive.seek(0)
            engine.load(archive, image["image_id"])


def make_room(engine: Engine, needed_bytes: int) -> None:
    sizes = engine.image_sizes()
    excess = sum(sizes.values()) + needed_bytes - settings.AIRLOCK_IMAGES_BYTES
    surplus = []
    for image_id in unused_images(engine):
        if excess <= 0:
            break
        surplus.append(image_id)
        excess -= sizes[image_id]
    remove(engine, surplus)


def unused_images(engine: Engine) -> list[str]:
    """Those that no execution in the airlock needs, the least recently requested first."""
    needed = set(Execution.objects.for_the_airlock().values_list(IMAGE_ID, flat=True))
    unused = engine.image_ids() - needed
    executions = Execution.objects.filter(**{f"{IMAGE_ID}__in": list(unused)}).order_by()
    last_use = dict(executions.values_list(IMAGE_ID).annotate(last=Max("pk")))
    return sorted(unused, key=lambda image_id: (last_use.get(image_id, 0), image_id))


def remove(engine: Engine, image_ids: Iterable[str]) -> int:
    """How many are gone; one that a container still uses stays."""
    removed = 0
    for image_id in image_ids:
        with suppress(EngineFailure):
            engine.remove_image(image_id)
            removed += 1
    return removed
