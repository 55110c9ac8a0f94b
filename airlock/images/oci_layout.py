"""OCI layouts: descriptors, and the manifests to which they lead.

Blobs are named by their digests. An index lists manifests, one per platform; attestations of how an image was
built are listed there as well and are not images.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .contents import Contents, Entry
from .digests import check_digest, digest_of, is_digest
from .documents import Document, as_list, as_object, as_text, invalid, parse, read_document
from .limits import ImageLimits
from .refusal import ImageRefused, quote

INDEX = "index.json"
OCI, DOCKER = "application/vnd.oci.image.", "application/vnd.docker."
INDEXES = {f"{OCI}index.v1+json", f"{DOCKER}distribution.manifest.list.v2+json"}
MANIFESTS = {f"{OCI}manifest.v1+json", f"{DOCKER}distribution.manifest.v2+json"}
CONFIGURATIONS = {f"{OCI}config.v1+json", f"{DOCKER}container.image.v1+json"}
LAYERS = {
    f"{OCI}layer.v1.tar",
    f"{OCI}layer.v1.tar+gzip",
    f"{OCI}layer.v1.tar+zstd",
    f"{DOCKER}image.rootfs.diff.tar",
    f"{DOCKER}image.rootfs.diff.tar.gzip",
    f"{DOCKER}image.rootfs.diff.tar.zstd",
}
DEEPEST_INDEX = 3
MOST_MANIFESTS = 1000
ATTESTATION = "vnd.docker.reference.type"


@dataclass(frozen=True, slots=True)
class Descriptor:
    media_type: str
    digest: str
    size: int
    platform: str
    """As in `linux/amd64`; empty if the descriptor does not say."""

    @property
    def name(self) -> str:
        return "blobs/sha256/" + self.digest.removeprefix("sha256:")


def descriptor_of(value: Any, name: str) -> Descriptor:
    fields = as_object(value, name, "for a descriptor")
    digest = as_text(fields.get("digest"), name, "digest")
    size = fields.get("size")
    if not is_digest(digest) or type(size) is not int or size < 0:
        raise invalid(name, "has a descriptor without a valid sha256 digest and size")
    return Descriptor(
        as_text(fields.get("mediaType"), name, "mediaType"), digest, size, platform_of(fields, name)
    )


def platform_of(descriptor: Document, name: str) -> str:
    platform = descriptor.get("platform")
    if platform is None:
        return ""
    fields = as_object(platform, name, "platform")
    return "/".join(as_text(fields.get(key), name, key) for key in ("os", "architecture"))


def is_attestation(value: Any) -> bool:
    annotations = value.get("annotations") if isinstance(value, dict) else None
    return isinstance(annotations, dict) and annotations.get(ATTESTATION) == "attestation-manifest"


def listed_images(index: Any, name: str) -> list[Descriptor]:
    """Each once: an image of several names is listed several times."""
    values = as_list(as_object(index, name, "").get("manifests"), name, "manifests", most=MOST_MANIFESTS)
    descriptors = [descriptor_of(value, name) for value in values if not is_attestation(value)]
    return list({descriptor.digest: descriptor for descriptor in descriptors}.values())


def find_manifest(contents: Contents, descriptor: Descriptor, limits: ImageLimits) -> tuple[str, Document]:
    """Its name and content, through the indexes of an image for several platforms."""
    for _ in range(DEEPEST_INDEX):
        document = as_object(parse(read_blob(contents, descriptor), descriptor.name), descriptor.name, "")
        if descriptor.media_type in MANIFESTS:
            return descriptor.name, document
        if descriptor.media_type not in INDEXES:
            break
        descriptor = choose_platform(listed_images(document, descriptor.name), descriptor.name, limits)
    raise invalid(descriptor.name, "is not the manifest of a container image")


def choose_platform(descriptors: list[Descriptor], name: str, limits: ImageLimits) -> Descriptor:
    platform = f"linux/{limits.architecture}"
    matching = [descriptor for descriptor in descriptors if descriptor.platform in ("", platform)]
    if not matching:
        raise wrong_platform(", ".join(sorted({d.platform for d in descriptors})) or "nothing", limits)
    if len(matching) > 1:
        raise invalid(name, f"lists several images for {platform}")
    return matching[0]


def wrong_platform(platform: str, limits: ImageLimits) -> ImageRefused:
    expected = f"linux/{limits.architecture}"
    return ImageRefused(
        "wrong-platform",
        f"The image is for {quote(platform)}, but it will run on {expected}.",
        f"Build it with “docker build --platform {expected} …” and save it with “docker save --platform "
        f"{expected} -o image.tar NAME”.",
    )


def find_blob(contents: Contents, descriptor: Descriptor) -> Entry:
    entry = contents.entries.get(descriptor.name)
    if entry is None:
        raise ImageRefused(
            "file-missing",
            f"The archive lists {quote(descriptor.name)}, but does not contain it.",
            "Save the whole image for one platform: “docker save --platform linux/amd64 -o image.tar NAME”.",
        )
    if entry.size != descriptor.size:
        check_digest("a file of a different size", descriptor.digest, descriptor.name)
    return entry


def read_blob(contents: Contents, descriptor: Descriptor) -> bytes:
    data = read_document(contents, find_blob(contents, descriptor))
    check_digest(digest_of(data), descriptor.digest, descriptor.name)
    return data


def find_layers(
    contents: Contents, manifest: Document, name: str, limits: ImageLimits
) -> list[tuple[Entry, str]]:
    """Each with its digest."""
    values = as_list(manifest.get("layers"), name, "layers", most=limits.layers)
    descriptors = [descriptor_of(value, name) for value in values]
    for descriptor in descriptors:
        if descriptor.media_type not in LAYERS:
            raise ImageRefused(
                "layer-type",
                f"A layer is of the type {quote(descriptor.media_type)}, which is not supported.",
                "Build the image without encrypted and external layers.",
            )
    return [(find_blob(contents, descriptor), descriptor.digest) for descriptor in descriptors]
