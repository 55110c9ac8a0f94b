"""Damaged and hostile image archives: a part of `make fuzz` (`tests/fuzz.py`).

Each case draws an archive (`draw_images.py`). It is refused in words, or it is rewritten into an archive that
another library understands in the same way, whose layers stay below their root, and which gives the same
image again.
"""

from __future__ import annotations

import json
import random
import tarfile
from io import BytesIO

from airlock.images import Image, ImageLimits, ImageRefused, rewrite
from airlock.images.members import members
from airlock.images.stream import Stream
from tests.airlock.images.build import sha256
from tests.airlock.images.draw_images import draw_archive
from tests.machinery.fuzzing import MEBIBYTE, Part

MEMORY_BYTES = 48 * MEBIBYTE
LIMITS = ImageLimits(archive_bytes=10 * MEBIBYTE, uncompressed_bytes=20 * MEBIBYTE, members=100)


def check_case(number: int) -> str:
    """Draw the archive of this number and rewrite it. Out: what became of it."""
    target = BytesIO()
    try:
        image = rewrite(BytesIO(draw_archive(random.Random(number))), target, limits=LIMITS)
    except ImageRefused as refusal:
        assert refusal.message.endswith(".") and str(refusal).isprintable(), str(refusal)
        return refusal.id
    archive = target.getvalue()
    check_written(image, archive)
    again = BytesIO()
    assert rewrite(BytesIO(archive), again, limits=LIMITS).image_id == image.image_id
    assert again.getvalue() == archive
    return "accepted"


def check_written(image: Image, archive: bytes) -> None:
    assert (image.sha256, image.size_bytes) == (sha256(archive), len(archive))
    with tarfile.open(fileobj=BytesIO(archive)) as packed:
        files = {info.name: packed.extractfile(info).read() for info in packed}  # type: ignore[union-attr]
    (manifest,) = json.loads(files["manifest.json"])
    assert manifest["RepoTags"] == [image.name]
    assert manifest["Config"] == f"{image.image_id[7:]}.json" == f"{sha256(files[manifest['Config']])}.json"
    for name in manifest["Layers"]:
        assert name == f"{sha256(files[name])}.tar"
        check_layer(files[name])


def check_layer(layer: bytes) -> None:
    ours = [
        (member.name.rstrip(b"/"), member.size, member.link)
        for member in members(Stream(BytesIO(layer), "the layer"))
    ]
    with tarfile.open(fileobj=BytesIO(layer), ignore_zeros=False, errors="surrogateescape") as packed:
        theirs = [(encoded(info.name).rstrip(b"/"), info.size, encoded(info.linkname)) for info in packed]
    assert ours == theirs
    for name, _, _ in ours:
        assert not name.startswith(b"/") and b".." not in name.split(b"/")


def encoded(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")


PART = Part(name="images", check=check_case, memory_bytes=MEMORY_BYTES)
