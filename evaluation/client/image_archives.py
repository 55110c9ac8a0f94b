"""Recognise a container image: an archive of `docker save` or of the OCI layout."""

from __future__ import annotations

import tarfile
from pathlib import Path

MARKS = {"manifest.json", "oci-layout", "index.json"}
MAX_MEMBERS = 2000


def is_image(path: Path) -> bool:
    """By the names of its members; the site checks everything else."""
    if not path.is_file():
        return False
    try:
        with tarfile.open(path) as archive:
            for _, member in zip(range(MAX_MEMBERS), archive, strict=False):
                if member.name.removeprefix("./") in MARKS:
                    return True
    except (tarfile.TarError, OSError, EOFError):
        pass
    return False
