"""A container engine: loads images, starts runs, finds them again and cleans up."""

from __future__ import annotations

from collections.abc import Collection
from typing import BinaryIO

from .running import Running
from .spec import RunSpec


class Engine:
    description: str
    """Name, version and address, in words."""

    def load(self, archive: BinaryIO, image_id: str) -> None:
        """Load an archive of `airlock.images`; does nothing if the image is there. Or `ImageNotAccepted`."""
        raise NotImplementedError

    def has_image(self, image_id: str) -> bool:
        raise NotImplementedError

    def image_ids(self) -> set[str]:
        """Of all images that were loaded, so that unused ones can be removed."""
        raise NotImplementedError

    def remove_image(self, image_id: str) -> None:
        """Does nothing if there is no such image."""
        raise NotImplementedError

    def start(self, spec: RunSpec) -> Running:
        """Start a run in a fresh container. Raises `AlreadyStarted`, `SystemFailure`, `EngineFailure`."""
        raise NotImplementedError

    def find(self, run_id: str) -> Running | None:
        """The run with this id, running or ended, whichever process started it.

        What a worker left half-made when it died is removed, and the result is None.
        """
        raise NotImplementedError

    def run_ids(self) -> set[str]:
        """Of all runs that have anything on this engine."""
        raise NotImplementedError

    def clean(self, *, keep: Collection[str] = ()) -> set[str]:
        """Remove everything of all runs but these. Returns the ids of the removed ones."""
        raise NotImplementedError
