"""Image archives in all formats, with full control over what is wrong in them."""

from __future__ import annotations

import gzip
import hashlib
import json
import tarfile
from collections.abc import Mapping, Sequence
from typing import Any

from backports import zstd

END = bytes(1024)
OCI = "application/vnd.oci.image."
GZIP_LAYER = f"{OCI}layer.v1.tar+gzip"


def member(
    name: str | bytes,
    data: bytes = b"",
    *,
    type: bytes = tarfile.REGTYPE,
    link: str = "",
    format: int = tarfile.PAX_FORMAT,
    records: Mapping[str, str] | None = None,
    **fields: Any,
) -> bytes:
    """Header and content of one member, as bytes."""
    info = tarfile.TarInfo(name if isinstance(name, str) else name.decode("utf-8", "surrogateescape"))
    info.type, info.linkname, info.size = type, link, len(data)
    info.pax_headers = dict(records or {})
    for key, value in fields.items():
        setattr(info, key, value)
    return info.tobuf(format, "utf-8", "surrogateescape") + padded(data)


def padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 512)


def directory(name: str) -> bytes:
    return member(name, type=tarfile.DIRTYPE, mode=0o755)


def symlink(name: str, target: str) -> bytes:
    return member(name, type=tarfile.SYMTYPE, link=target)


def hard_link(name: str, target: str) -> bytes:
    return member(name, type=tarfile.LNKTYPE, link=target)


def pack(*members: bytes) -> bytes:
    """A tar of such members."""
    return b"".join(members) + END


def patched(header: bytes, offset: int, data: bytes) -> bytes:
    """A member with other bytes in its header and the right checksum."""
    block = bytearray(header[:512])
    block[offset : offset + len(data)] = data
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block) + header[512:]


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


PROGRAM = pack(directory("bin/"), member("bin/parse", b"#!/bin/sh\n", mode=0o755))
SECOND = pack(directory("etc/"), member("etc/model", b"weights" * 100))


def configuration(layers: Sequence[bytes] = (PROGRAM,), **changes: Any) -> dict[str, Any]:
    """Of uncompressed layers; `config` and all other keys can be replaced."""
    return {
        "architecture": "amd64",
        "os": "linux",
        "config": {"Entrypoint": ["/bin/parse"], "Env": ["PATH=/bin"]},
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{sha256(layer)}" for layer in layers]},
    } | changes


def encode(document: Any) -> bytes:
    return json.dumps(document).encode()


def archive(files: Mapping[str, bytes]) -> bytes:
    return pack(*(member(name, data) for name, data in files.items()))


def docker_files(
    layers: Sequence[bytes] = (PROGRAM,), config: Any = None, *, packed: Sequence[bytes] | None = None
) -> dict[str, bytes]:
    """As `docker save` wrote them before version 25."""
    document = encode(configuration(layers) if config is None else config)
    files = {f"{number:064x}/layer.tar": layer for number, layer in enumerate(packed or layers)}
    name = f"{sha256(document)}.json"
    manifest = [{"Config": name, "RepoTags": ["debian:latest"], "Layers": list(files)}]
    return files | {name: document, "manifest.json": encode(manifest)}


def docker_archive(layers: Sequence[bytes] = (PROGRAM,), config: Any = None) -> bytes:
    return archive(docker_files(layers, config))


def blob(files: dict[str, bytes], data: bytes, media_type: str, **fields: Any) -> dict[str, Any]:
    """Add a blob. Out: its descriptor."""
    files[f"blobs/sha256/{sha256(data)}"] = data
    return {"mediaType": media_type, "digest": f"sha256:{sha256(data)}", "size": len(data)} | fields


def oci_files(
    layers: Sequence[bytes] = (PROGRAM,),
    config: Any = None,
    *,
    packed: Sequence[bytes] | None = None,
    layer_type: str = GZIP_LAYER,
    with_docker: bool = False,
    nested: bool = False,
) -> dict[str, bytes]:
    """An OCI layout; with the manifest that Docker has added to it since version 25, if required."""
    files: dict[str, bytes] = {"oci-layout": b'{"imageLayoutVersion": "1.0.0"}'}
    document = encode(configuration(layers) if config is None else config)
    described = [
        blob(files, data, layer_type) for data in packed or [gzip.compress(x, mtime=0) for x in layers]
    ]
    manifest = {
        "schemaVersion": 2,
        "config": blob(files, document, f"{OCI}config.v1+json"),
        "layers": described,
    }
    top = blob(files, encode(manifest), f"{OCI}manifest.v1+json")
    if nested:
        top = blob(files, encode({"manifests": platforms(files, top)}), f"{OCI}index.v1+json")
    files["index.json"] = encode({"schemaVersion": 2, "manifests": [top]})
    if with_docker:
        names = [f"blobs/sha256/{layer['digest'][7:]}" for layer in described]
        docker = {"Config": f"blobs/sha256/{sha256(document)}", "RepoTags": None, "Layers": names}
        files["manifest.json"] = encode([docker])
    return files


def platforms(files: dict[str, bytes], manifest: dict[str, Any]) -> list[dict[str, Any]]:
    """The manifest among that of another platform, whose blob is missing, and an attestation."""
    other = {"mediaType": f"{OCI}manifest.v1+json", "digest": f"sha256:{'0' * 64}", "size": 5}
    attestation = blob(files, b"{}", f"{OCI}manifest.v1+json")
    return [
        manifest | {"platform": {"os": "linux", "architecture": "amd64"}},
        other | {"platform": {"os": "linux", "architecture": "arm64"}},
        attestation | {"annotations": {"vnd.docker.reference.type": "attestation-manifest"}},
    ]


def oci_archive(layers: Sequence[bytes] = (PROGRAM,), **options: Any) -> bytes:
    return archive(oci_files(layers, **options))


def zstd_compress(data: bytes, *, window_bits: int = 0) -> bytes:
    """With a window of so many bits; 0 leaves it to zstd. The size is not written, as in a stream."""
    options = {
        zstd.CompressionParameter.compression_level: 3,
        zstd.CompressionParameter.window_log: window_bits,
        zstd.CompressionParameter.content_size_flag: 0,
    }
    compressor = zstd.ZstdCompressor(options=options)
    return compressor.compress(data) + compressor.flush()
