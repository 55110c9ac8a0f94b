"""What is known about an image that has been checked and rewritten."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

REPOSITORY = "localhost/arboretum/image"


@dataclass(frozen=True, kw_only=True)
class Image:
    image_id: str
    """`sha256:` and 64 digits: the id under which both engines know the image once it is loaded."""
    sha256: str
    """Of the written archive, 64 digits."""
    size_bytes: int
    """Of the written archive."""
    architecture: str
    """As in `amd64`; the operating system is always Linux."""
    command: tuple[str, ...]
    """Entry point and arguments, never empty. Input and output directory are appended when it runs."""
    labels: Mapping[str, str]
    """All labels that the image came with."""
    declares: Mapping[str, str]
    """Those that the written image has, too; see `labels.py`. Its containers inherit them."""
    layers: int
    uncompressed_bytes: int
    """Of all layers."""
    members: int
    """Files, directories and links in all layers."""

    @property
    def name(self) -> str:
        """The only name in the written archive."""
        return image_name(self.image_id)


def image_name(image_id: str) -> str:
    """A name that contains the id, so that loading an image can never replace another one."""
    return f"{REPOSITORY}:{image_id.removeprefix('sha256:')}"
