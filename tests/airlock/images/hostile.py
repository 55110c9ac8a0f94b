"""Archives that are wrong in one place, for the tables of refusals."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Callable
from typing import Any

from tests.airlock.images import build
from tests.airlock.images.build import PROGRAM, SECOND, configuration, docker_archive, member, pack

Archive = Callable[[], bytes]


def with_files(changes: dict[str, bytes | None], files: dict[str, bytes] | None = None) -> bytes:
    """The archive of Docker with other files; None removes one."""
    merged: dict[str, Any] = (files or build.docker_files()) | changes
    return build.archive({name: data for name, data in merged.items() if data is not None})


def with_settings(**settings: Any) -> bytes:
    return docker_archive(config=configuration(config={"Cmd": ["/bin/parse"]} | settings))


def of_layers(*layers: bytes) -> bytes:
    return docker_archive(layers)


def of_members(*members: bytes) -> bytes:
    """An image of one layer with these members."""
    return docker_archive((pack(*members),))


def edited_manifest(**changes: Any) -> bytes:
    """The archive of Docker with an entry of its manifest changed."""
    files = build.docker_files()
    manifest = json.loads(files["manifest.json"])
    manifest[0] |= changes
    return with_files({"manifest.json": build.encode(manifest)}, files)


def edited_descriptor(**changes: Any) -> bytes:
    files = build.oci_files()
    index = json.loads(files["index.json"])
    index["manifests"][0] |= changes
    return with_files({"index.json": build.encode(index)}, files)


def two_images() -> bytes:
    files = build.docker_files()
    return with_files({"manifest.json": build.encode(json.loads(files["manifest.json"]) * 2)}, files)


def two_images_of_oci() -> bytes:
    first, second = build.oci_files(), build.oci_files((SECOND,))
    manifests = [json.loads(files["index.json"])["manifests"][0] for files in (first, second)]
    return with_files({"index.json": build.encode({"manifests": manifests})}, first | second)


def different_images() -> bytes:
    """`manifest.json` describes one image and `index.json` another."""
    return build.archive(build.oci_files((SECOND,)) | build.docker_files())


def forged(files: dict[str, bytes], ending: str) -> bytes:
    """The first file of this ending with other bytes, of the same number, under the same name."""
    name = next(name for name in files if name.endswith(ending))
    return build.archive(files | {name: files[name].replace(b"parse", b"prase")})


def forged_layer_of_oci() -> bytes:
    files = build.oci_files(packed=(PROGRAM,), layer_type=f"{build.OCI}layer.v1.tar")
    return forged(files, build.sha256(PROGRAM))


def other_platforms_only() -> bytes:
    files = build.oci_files(nested=True)
    index = json.loads(files["index.json"])
    name = f"blobs/sha256/{index['manifests'][0]['digest'][7:]}"
    listed = [entry for entry in json.loads(files[name])["manifests"] if "platform" in entry][1:]
    top = build.blob(files, build.encode({"manifests": listed}), f"{build.OCI}index.v1+json")
    return with_files({"index.json": build.encode({"manifests": [top]})}, files)


def index_in_circles() -> bytes:
    """Indexes in indexes, deeper than any honest image has them."""
    files = build.oci_files()
    descriptor = json.loads(files["index.json"])["manifests"][0]
    for _ in range(6):
        descriptor = build.blob(files, build.encode({"manifests": [descriptor]}), f"{build.OCI}index.v1+json")
    return with_files({"index.json": build.encode({"manifests": [descriptor]})}, files)


def declared(size: int) -> bytes:
    """A member whose header promises more than there is."""
    return member("huge", size=size)


def record(text: str) -> bytes:
    """A PAX header with this content, and a file."""
    return member("pax", text.encode(), type=tarfile.XHDTYPE, format=tarfile.USTAR_FORMAT) + member("file")


def pax(key: str, value: str) -> str:
    length = len(key) + len(value) + 3
    length += len(str(length + len(str(length))))
    return f"{length} {key}={value}\n"
