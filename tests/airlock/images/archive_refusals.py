"""One small archive per reason for refusing an archive, its documents or its digests.

Keys are the id of the refusal and the case; the text behind an archive occurs in the message.
"""

from __future__ import annotations

import gzip
import tarfile

from tests.airlock.images import build
from tests.airlock.images.build import (
    PROGRAM,
    SECOND,
    configuration,
    directory,
    docker_archive,
    hard_link,
    member,
    oci_archive,
    pack,
    symlink,
)
from tests.airlock.images.hostile import (
    Archive,
    declared,
    different_images,
    edited_descriptor,
    edited_manifest,
    forged,
    forged_layer_of_oci,
    index_in_circles,
    of_layers,
    of_members,
    other_platforms_only,
    pax,
    record,
    two_images,
    two_images_of_oci,
    with_files,
    with_settings,
)

MEBIBYTE = 1024 * 1024

REFUSALS: dict[str, tuple[Archive, str]] = {
    "empty": (lambda: b"", "is empty"),
    "format-unknown: text": (lambda: b"FROM debian\n" * 100, "neither a tar archive"),
    "format-unknown: short": (lambda: b"x", "neither a tar archive"),
    "format-unknown: tar without image": (lambda: build.archive({"a": b"x"}), "neither manifest.json nor"),
    "format-unknown: hard link in the archive": (
        lambda: pack(member("a"), hard_link("b", "a")),
        "is a hard link",
    ),
    "compression-unknown: bzip2": (lambda: b"BZh91AY&SY", "bzip2"),
    "compression-unknown: xz": (lambda: b"\xfd7zXZ\x00\x00", "xz"),
    "compression-unknown: zip": (lambda: b"PK\x03\x04" + bytes(100), "zip"),
    "compression-damaged: gzip": (
        lambda: gzip.compress(docker_archive())[:50] + b"\xff" * 1000,
        "of the archive are damaged",
    ),
    "compression-damaged: zstd": (
        lambda: build.zstd_compress(docker_archive())[:9] + b"\xff" * 1000,
        "of the archive are damaged",
    ),
    "compression-damaged: zstd that takes much memory": (
        lambda: build.zstd_compress(docker_archive(), window_bits=27),
        "of the archive are damaged",
    ),
    "compression-damaged: data after gzip": (
        lambda: gzip.compress(docker_archive()) + b"something else",
        "of the archive are damaged",
    ),
    "compressed-twice": (
        lambda: build.archive(
            build.docker_files((gzip.compress(PROGRAM),), packed=(gzip.compress(gzip.compress(PROGRAM)),))
        ),
        "compressed twice",
    ),
    "compressed-twice: name like gzip": (
        lambda: oci_archive((pack(member(b"\x1f\x8b\x08", format=tarfile.GNU_FORMAT)),)),
        "compressed twice",
    ),
    "truncated: gzip": (lambda: gzip.compress(docker_archive())[:-20], "end of the archive"),
    "truncated: zstd": (lambda: build.zstd_compress(docker_archive())[:-20], "end of the archive"),
    "truncated: tar": (lambda: docker_archive()[:2000], "end of the archive"),
    "truncated: tar without its last block": (lambda: docker_archive()[:-512], "end of the archive"),
    "truncated: archive declares 10 GB": (
        lambda: docker_archive()[:-1024] + declared(10**10) + bytes(1024),
        "end of the archive",
    ),
    "truncated: layer": (lambda: of_layers(PROGRAM[:1200]), "end of layer 1"),
    "truncated: layer declares 10 GB": (lambda: of_layers(declared(10**10) + bytes(1024)), "end of layer 1"),
    "truncated: layer declares 10 GB by PAX": (
        lambda: of_layers(record(pax("size", str(10**10))) + bytes(1024)),
        "end of layer 1",
    ),
    "truncated: no layer at all": (lambda: of_layers(b""), "end of layer 1"),
    "ratio-exceeded: archive": (
        lambda: gzip.compress(bytes(40 * MEBIBYTE)),
        "100 times",
    ),
    "ratio-exceeded: zstd": (lambda: build.zstd_compress(bytes(40 * MEBIBYTE)), "100 times"),
    "ratio-exceeded: layer": (
        lambda: build.oci_archive((pack(member("zeros", bytes(40 * MEBIBYTE))),)),
        "layer 1 is more than 100 times",
    ),
    "duplicate-member: in the archive": (
        lambda: pack(member("manifest.json", b"[]"), member("./manifest.json", b"[]")),
        "“manifest.json” occurs twice",
    ),
    "duplicate-member: in a layer": (lambda: of_members(member("a"), member("./a")), "“a” occurs twice"),
    "duplicate-member: directory becomes a link": (
        lambda: of_members(directory("a/"), symlink("a", "/etc"), member("a/passwd")),
        "“a” occurs twice",
    ),
    "duplicate-member: implied directory becomes a link": (
        lambda: of_members(member("a/file"), symlink("a", "/etc")),
        "“a” occurs twice",
    ),
    "too-many-files": (
        lambda: pack(*(member(str(number)) for number in range(10_001))),
        "10,000 files",
    ),
    "document-too-large": (
        lambda: with_files({"manifest.json": b" " * (MEBIBYTE + 1)}),
        "“manifest.json” has more than",
    ),
    "document-invalid: not JSON": (lambda: with_files({"manifest.json": b"{"}), "not valid JSON"),
    "document-invalid: not UTF-8": (lambda: with_files({"manifest.json": b'["\xff"]'}), "not valid JSON"),
    "document-invalid: endless number": (
        lambda: with_files({"manifest.json": b"9" * 5000}),
        "not valid JSON",
    ),
    "document-invalid: too deep": (
        lambda: with_files({"manifest.json": b"[" * 500_000}),
        "nested too deeply",
    ),
    "document-invalid: wrong type": (lambda: with_files({"manifest.json": b"{}"}), "no list of images"),
    "document-invalid: no configuration": (lambda: edited_manifest(Config=3), "no valid text Config"),
    "document-invalid: layers not a list": (lambda: edited_manifest(Layers={}), "no list Layers"),
    "document-invalid: 128 layers": (
        lambda: edited_manifest(Layers=["a"] * 128),
        "more than 127 values of Layers",
    ),
    "document-invalid: half a character": (
        lambda: with_settings(Env=["A=\ud800"]),
        "no valid text Env",
    ),
    "document-invalid: zero byte": (lambda: with_settings(Cmd=["/bin/parse\0"]), "no valid text Cmd"),
    "document-invalid: command as text": (lambda: with_settings(Cmd="/bin/parse"), "no list Cmd"),
    "document-invalid: variable without a value": (lambda: with_settings(Env=["PATH"]), "NAME=VALUE"),
    "document-invalid: variable without a name": (lambda: with_settings(Env=["=x"]), "NAME=VALUE"),
    "document-invalid: long environment": (lambda: with_settings(Env=["A=" + "x" * 70_000]), "65,536"),
    "label-unknown: name": (
        lambda: with_settings(Labels={"arboretum.constraint": "yes"}),
        "which is not known",
    ),
    "label-unknown: value": (lambda: with_settings(Labels={"arboretum.train": "no"}), "arboretum.train=no"),
    "document-invalid: long labels": (lambda: with_settings(Labels={"a": "x" * 70_000}), "65,536"),
    "document-invalid: relative working directory": (
        lambda: with_settings(WorkingDir="srv"),
        "not an absolute path",
    ),
    "document-invalid: working directory leaves the root": (
        lambda: with_settings(WorkingDir="/../etc"),
        "not an absolute path",
    ),
    "document-invalid: no layers in the configuration": (
        lambda: docker_archive(config=configuration(rootfs=None)),
        "no object rootfs",
    ),
    "document-invalid: other kind of digest": (
        lambda: edited_descriptor(digest="sha512:" + "0" * 128),
        "valid sha256 digest",
    ),
    "document-invalid: digest that is a path": (
        lambda: edited_descriptor(digest="sha256:../../../../etc/passwd"),
        "valid sha256 digest",
    ),
    "document-invalid: indexes in indexes": (index_in_circles, "not the manifest of a container image"),
    "document-invalid: not a container image": (
        lambda: edited_descriptor(mediaType="application/vnd.cncf.helm.config.v1+json"),
        "not the manifest of a container image",
    ),
    "file-missing: layer": (lambda: edited_manifest(Layers=["layer.tar"]), "lists “layer.tar”, but"),
    "file-missing: blob": (
        lambda: edited_descriptor(digest="sha256:" + "0" * 64),
        "lists “blobs/sha256/0000",
    ),
    "several-images: docker": (two_images, "manifest.json lists 2"),
    "several-images: none": (lambda: with_files({"manifest.json": b"[]"}), "manifest.json lists 0"),
    "several-images: oci": (two_images_of_oci, "index.json lists 2"),
    "several-images: both": (different_images, "describe different ones"),
    "wrong-platform: docker": (
        lambda: docker_archive(config=configuration(architecture="arm64")),
        "“linux/arm64”, but it will run on linux/amd64",
    ),
    "wrong-platform: windows": (
        lambda: docker_archive(config=configuration(os="windows")),
        "“windows/amd64”",
    ),
    "wrong-platform: not given": (
        lambda: docker_archive(config=configuration(architecture=None)),
        "“linux/”",
    ),
    "wrong-platform: oci": (other_platforms_only, "“linux/arm64”"),
    "digest-mismatch: configuration": (
        lambda: forged(build.docker_files(), ".json"),
        "is not the one with the digest",
    ),
    "digest-mismatch: layer": (forged_layer_of_oci, build.sha256(PROGRAM)),
    "digest-mismatch: size": (lambda: edited_descriptor(size=5), "is not the one with the digest"),
    "diff-id-mismatch: layer": (
        lambda: build.archive(build.docker_files((PROGRAM,), packed=(SECOND,))),
        "does not have the diff id",
    ),
    "diff-id-mismatch: number": (
        lambda: docker_archive((PROGRAM,), configuration((PROGRAM, SECOND))),
        "has 1 layers, but its configuration lists 2",
    ),
    "diff-id-mismatch: not a digest": (
        lambda: docker_archive(config=configuration(rootfs={"diff_ids": ["md5:00"]})),
        "not a sha256 digest",
    ),
    "no-layers": (lambda: docker_archive((), configuration(())), "no layers"),
    "no-command": (
        lambda: docker_archive(config=configuration(config={"Env": ["A=b"]})),
        "neither an entry point",
    ),
    "no-command: empty": (lambda: with_settings(Cmd=[""]), "neither an entry point"),
    "layer-type": (
        lambda: oci_archive(layer_type=f"{build.OCI}layer.v1.tar+encrypted"),
        "tar+encrypted",
    ),
}
