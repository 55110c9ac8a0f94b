"""From an uploaded archive to one of ours."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from .image import Image
from .limits import ImageLimits


def rewrite(
    source: BinaryIO, target: BinaryIO, *, limits: ImageLimits | None = None, scratch: Path | None = None
) -> Image:
    """Check the archive in `source` and write its image to `target`, or raise `ImageRefused`.

    The source is seekable and is read from its beginning. The target is empty, seekable and readable; its
    content means nothing if an exception is raised. A compressed source is unpacked into a temporary file in
    the folder `scratch`, which is that of `tempfile` by default.
    """
    raise NotImplementedError
