"""The parts of the one image in an archive: its configuration and where its layers are.

`manifest.json` of `docker save` names them, or the manifests of an OCI layout do, which begin with
`index.json`. Recent versions of Docker write both; then both have to describe the same image.
"""

from __future__ import annotations

from dataclasses import dataclass

from .contents import SAVE, Contents, Entry
from .digests import check_digest, digest_in_name, digest_of
from .documents import as_list, as_object, as_text, as_texts, invalid, parse, read_document
from .limits import ImageLimits
from .oci_layout import (
    CONFIGURATIONS,
    INDEX,
    descriptor_of,
    find_layers,
    find_manifest,
    listed_images,
    read_blob,
)
from .paths import path_below_root
from .refusal import ImageRefused, quote

MANIFEST = "manifest.json"


@dataclass(frozen=True, slots=True)
class Layer:
    entry: Entry
    digest: str | None
    """Of the file in the archive, as it is packed there; unknown in the older format."""


@dataclass(frozen=True, slots=True)
class Parts:
    configuration: bytes
    layers: tuple[Layer, ...]


def find_parts(contents: Contents, limits: ImageLimits) -> Parts:
    docker = parts_of_docker(contents, limits) if MANIFEST in contents.entries else None
    layout = parts_of_layout(contents, limits) if INDEX in contents.entries else None
    if docker and layout and docker.configuration != layout.configuration:
        raise several_images("manifest.json and index.json describe different ones")
    parts = docker or layout
    if parts is None:
        raise ImageRefused(
            "format-unknown",
            "The archive has neither manifest.json nor index.json: it is not an image.",
            SAVE,
        )
    if not parts.layers:
        raise ImageRefused("no-layers", "The image has no layers, so there is nothing to run.", SAVE)
    return parts


def several_images(what: str) -> ImageRefused:
    return ImageRefused(
        "several-images",
        f"The archive does not contain exactly one image: {what}.",
        "Save one image only, by one name: “docker save -o image.tar NAME:TAG”.",
    )


def parts_of_docker(contents: Contents, limits: ImageLimits) -> Parts:
    manifest = parse(read_document(contents, contents.entries[MANIFEST]), MANIFEST)
    images = as_list(manifest, MANIFEST, "of images", most=10_000)
    if len(images) != 1:
        raise several_images(f"manifest.json lists {len(images)}")
    image = as_object(images[0], MANIFEST, "for the image")
    configuration = find_entry(contents, as_text(image.get("Config"), MANIFEST, "Config"))
    data = read_document(contents, configuration)
    name = as_text(image.get("Config"), MANIFEST, "Config")
    check_digest(digest_of(data), digest_in_name(name), name)
    names = as_texts(image.get("Layers"), MANIFEST, "Layers", most=limits.layers)
    return Parts(data, tuple(Layer(find_entry(contents, name), digest_in_name(name)) for name in names))


def find_entry(contents: Contents, name: str) -> Entry:
    entry = contents.entries.get(path_below_root(name.encode(), MANIFEST).decode())
    if entry is None:
        raise ImageRefused("file-missing", f"The archive lists {quote(name)}, but does not contain it.", SAVE)
    return entry


def parts_of_layout(contents: Contents, limits: ImageLimits) -> Parts:
    index = parse(read_document(contents, contents.entries[INDEX]), INDEX)
    descriptors = listed_images(index, INDEX)
    if len(descriptors) != 1:
        raise several_images(f"index.json lists {len(descriptors)}")
    name, manifest = find_manifest(contents, descriptors[0], limits)
    configuration = descriptor_of(manifest.get("config"), name)
    if configuration.media_type not in CONFIGURATIONS:
        raise invalid(name, "is not the manifest of a container image")
    layers = find_layers(contents, manifest, name, limits)
    return Parts(read_blob(contents, configuration), tuple(Layer(entry, digest) for entry, digest in layers))
