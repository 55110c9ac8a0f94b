"""A team removes a stored image that no execution needs for its replication."""

from __future__ import annotations

from django.db import transaction

from sharedtask.accounts.models import User
from sharedtask.core import storage
from sharedtask.core.errors import Refusal
from sharedtask.software.models import Execution, StoredImage


def remove_image(*, image: StoredImage, by: User) -> None:
    with transaction.atomic():
        if Execution.objects.filter(version__image=image).exists():
            raise Refusal(
                "image-in-use", "This image has been run, and is kept so that its results can be replicated."
            )
        ready = StoredImage.objects.filter(pk=image.pk, state=StoredImage.State.READY)
        if not ready.update(state=StoredImage.State.REMOVED, stored="", size_bytes=0):
            raise Refusal("image-not-ready", "Only an image that is ready can be removed.")
    if image.stored and not StoredImage.objects.filter(stored=image.stored).exists():
        storage.remove(image.stored)
