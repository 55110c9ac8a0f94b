"""Uploaded images, checked and rewritten by the airlock, on their way into storage."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from airlock.images import Image, ImageLimits, rewrite
from sharedtask.core import storage

MEBIBYTE = 2**20


@dataclass(frozen=True, kw_only=True)
class RewrittenImage:
    image: Image
    path: Path

    @property
    def name(self) -> str:
        """In storage."""
        return f"images/{self.image.sha256}.tar"

    def store(self) -> str:
        """Under the hash of its content, so that equal images are stored once."""
        with self.path.open("rb") as rewritten:
            storage.store(self.name, iter(lambda: rewritten.read(MEBIBYTE), b""))
        return self.name


@contextmanager
def rewritten_image(upload: str) -> Iterator[RewrittenImage]:
    """From the name of an upload in storage, for the duration of the context; or `ImageRefused`."""
    limits = ImageLimits(archive_bytes=settings.IMAGE_MAX_BYTES)
    folder = storage.new_folder()
    path = folder / "image.tar"
    try:
        with storage.local_copy(upload) as copy, copy.open("rb") as source, path.open("w+b") as target:
            checked = rewrite(source, target, limits=limits, scratch=folder)
        yield RewrittenImage(image=checked, path=path)
    finally:
        path.unlink(missing_ok=True)
        folder.rmdir()
