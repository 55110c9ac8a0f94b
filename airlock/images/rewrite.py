"""From an uploaded archive to one of ours: find the parts, read the configuration, copy the layers.

The layers keep their bytes, since a diff id is the digest of these; everything around them is rewritten.
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import IO

from .configuration import Configuration, read_configuration
from .contents import SAVE, list_contents, unpack_archive
from .copy_layers import LayerCopier
from .digests import digest_of
from .image import Image, image_name
from .limits import ImageLimits
from .parts import find_parts
from .refusal import ImageRefused
from .written_archive import WrittenArchive, layer_name, manifest


def rewrite(
    source: IO[bytes], target: IO[bytes], *, limits: ImageLimits | None = None, scratch: Path | None = None
) -> Image:
    """Check the archive in `source` and write its image to `target`, or raise `ImageRefused`.

    The source is seekable and is read from its beginning. The target is empty, seekable and readable; its
    content means nothing if an exception is raised. A compressed source is unpacked into a temporary file in
    the folder `scratch`, which is that of `tempfile` by default.
    """
    limits = limits or ImageLimits()
    with ExitStack() as stack:
        plain = unpack_archive(source, limits, scratch)
        if plain is not source:
            stack.enter_context(plain)
        contents = list_contents(plain)
        parts = find_parts(contents, limits)
        configuration = read_configuration(parts.configuration, limits)
        if len(parts.layers) != len(configuration.diff_ids):
            raise ImageRefused(
                "diff-id-mismatch",
                f"The image has {len(parts.layers)} layers, but its configuration lists "
                f"{len(configuration.diff_ids)}.",
                SAVE,
            )
        archive = WrittenArchive(target)
        image_id = write_documents(archive, configuration)
        copier = LayerCopier(contents, archive, limits)
        for layer, diff_id in zip(parts.layers, configuration.diff_ids, strict=True):
            copier.copy(layer, diff_id)
    return Image(
        image_id=image_id,
        sha256=archive.close(),
        size_bytes=archive.size,
        architecture=configuration.architecture,
        command=configuration.entry_point + configuration.arguments,
        labels=configuration.labels,
        declares=configuration.declares,
        layers=len(configuration.diff_ids),
        uncompressed_bytes=copier.uncompressed_bytes,
        members=copier.tree.members,
    )


def write_documents(archive: WrittenArchive, configuration: Configuration) -> str:
    """Out: the id of the image."""
    encoded = configuration.encode()
    image_id = digest_of(encoded)
    name = image_id.removeprefix("sha256:") + ".json"
    layers = [layer_name(diff_id) for diff_id in configuration.diff_ids]
    archive.add("manifest.json", manifest(configuration=name, name=image_name(image_id), layers=layers))
    archive.add(name, encoded)
    return image_id
