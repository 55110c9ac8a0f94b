"""What an image may cost."""

from __future__ import annotations

from dataclasses import dataclass

MEBIBYTE = 1024 * 1024
GIBIBYTE = 1024 * MEBIBYTE


@dataclass(frozen=True, kw_only=True)
class ImageLimits:
    architecture: str = "amd64"
    """Of the machines that will run the image."""
    archive_bytes: int = 4 * GIBIBYTE
    """Size of the upload as it is."""
    uncompressed_bytes: int = 10 * GIBIBYTE
    """Of the archive after unpacking, and of all layers after unpacking."""
    ratio: int = 100
    """Unpacked size divided by packed size; programs pack about 3:1, a bomb 1000:1."""
    layers: int = 127
    """As many as overlayfs can stack."""
    members: int = 500_000
    """Files, directories and links in all layers; a large Python environment has 100,000."""
    name_bytes: int = 64 * MEBIBYTE
    """Of all their names together, which are held in memory."""
