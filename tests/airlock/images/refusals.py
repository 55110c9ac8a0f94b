"""One small archive per reason for refusing, by the id of the refusal and what is wrong.

Keys are `ID: CASE`; the texts behind them occur in the message.
"""

from __future__ import annotations

import gzip
import json
import tarfile
from collections.abc import Callable
from typing import Any

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
    patched,
    symlink,
)

MEBIBYTE = 1024 * 1024
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
        "layer 1 has more than 100 times",
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
    "file-missing: layer": (lambda: edited_manifest(Layers=["layer.tar"]), "lacks “layer.tar”"),
    "file-missing: blob": (
        lambda: edited_descriptor(digest="sha256:" + "0" * 64),
        "lacks “blobs/sha256/0000",
    ),
    "member-name: layer outside of the archive": (
        lambda: edited_manifest(Layers=["../../etc/passwd"]),
        "contains “..”",
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
    "member-name: absolute": (lambda: of_members(member("/etc/passwd")), "“/etc/passwd” is absolute"),
    "member-name: parent": (lambda: of_members(member("a/../../etc/passwd")), "contains “..”"),
    "member-name: parent at the end": (lambda: of_members(directory("a/..")), "contains “..”"),
    "member-name: long part": (lambda: of_members(member("x" * 256)), "too long"),
    "member-name: long path": (lambda: of_members(member("x" * 100 + "/x" * 2000)), "too long"),
    "member-name: deep path": (lambda: of_members(member("x/" * 101 + "x")), "more than 100 parts"),
    "member-name: root is a file": (lambda: of_members(member(".")), "not a directory"),
    "member-name: link to nowhere": (lambda: of_members(symlink("a", "")), "points nowhere"),
    "member-name: in the archive": (lambda: pack(member("../manifest.json")), "contains “..”"),
    "through-link: in one layer": (
        lambda: of_members(symlink("a", "/etc"), member("a/passwd")),
        "below “a”",
    ),
    "through-link: deeper": (
        lambda: of_members(symlink("a/b", "/etc"), member("a/b/c/d")),
        "below “a/b”",
    ),
    "through-link: in the layer below": (
        lambda: of_layers(pack(symlink("a", "/etc")), pack(member("a/passwd"))),
        "member of layer 2 lies below “a”",
    ),
    "through-link: second name of a link": (
        lambda: of_members(symlink("a", "/etc"), hard_link("b", "a"), member("b/passwd")),
        "below “b”",
    ),
    "through-link: below a file": (lambda: of_members(member("a"), member("a/b")), "below “a”"),
    "through-link: deletion": (
        lambda: of_layers(pack(symlink("a", "/etc")), pack(member("a/.wh.passwd"))),
        "below “a”",
    ),
    "hard-link: outside": (lambda: of_members(hard_link("a", "etc/shadow")), "“etc/shadow”"),
    "hard-link: to a directory": (lambda: of_members(directory("b/"), hard_link("a", "b")), "“b”"),
    "hard-link: through a link": (
        lambda: of_members(symlink("b", "/etc"), hard_link("a", "b/shadow")),
        "“b/shadow”",
    ),
    "hard-link: to a deletion": (lambda: of_members(member(".wh.b"), hard_link("a", ".wh.b")), "“.wh.b”"),
    "hard-link: to the layer below": (
        lambda: of_layers(pack(member("b")), pack(hard_link("a", "b"))),
        "In layer 2, “a” is a hard link to “b”",
    ),
    "member-name: hard link leaves the root": (lambda: of_members(hard_link("a", "../b")), "contains “..”"),
    "member-name: absolute hard link": (lambda: of_members(hard_link("a", "/etc/shadow")), "is absolute"),
    "whiteout: of nothing": (lambda: of_members(member("a/.wh.")), "does not name a file"),
    "whiteout: of its directory": (lambda: of_members(member("a/.wh..")), "does not name a file"),
    "whiteout: of the parent": (lambda: of_members(member("a/.wh...")), "does not name a file"),
    "whiteout: of aufs": (lambda: of_members(member(".wh..wh.plnk")), "does not name a file"),
    "whiteout: as a directory": (lambda: of_members(directory(".wh.a/")), "not an empty file"),
    "whiteout: below itself": (lambda: of_members(member(".wh.a/b")), "used as a directory"),
    "whiteout: with content": (lambda: of_members(member(".wh.a", b"x")), "not an empty file"),
    "whiteout: as a link": (lambda: of_members(symlink(".wh.a", "/etc")), "not an empty file"),
    "whiteout: opaque link": (lambda: of_members(symlink("a/.wh..wh..opq", "b")), "not an empty file"),
    "whiteout: and file": (lambda: of_members(member(".wh.a"), member("a")), "deleted and created"),
    "device: character": (lambda: of_members(member("dev/mem", type=tarfile.CHRTYPE)), "“dev/mem”"),
    "device: block": (lambda: of_members(member("dev/sda", type=tarfile.BLKTYPE)), "“dev/sda”"),
    "device: pipe": (lambda: of_members(member("run/pipe", type=tarfile.FIFOTYPE)), "a named pipe"),
    "sparse-file: GNU": (lambda: of_members(member("a", type=tarfile.GNUTYPE_SPARSE)), "sparse file"),
    "sparse-file: PAX": (lambda: of_members(record(pax("GNU.sparse.major", "1"))), "sparse file"),
    "attribute: overlay": (
        lambda: of_members(record(pax("SCHILY.xattr.trusted.overlay.redirect", "/etc"))),
        "“trusted.overlay.redirect”",
    ),
    "attribute: overlay without root": (
        lambda: of_members(record(pax("SCHILY.xattr.user.overlay.opaque", "y"))),
        "“user.overlay.opaque”",
    ),
    "attribute: override": (
        lambda: of_members(record(pax("SCHILY.xattr.user.containers.override_stat", "0:0:4777"))),
        "“user.containers.override_stat”",
    ),
    "tar-header: checksum": (
        lambda: of_layers(PROGRAM[:3] + b"X" + PROGRAM[4:]),
        "header in layer 1 is not valid: its checksum",
    ),
    "tar-header: format": (lambda: of_members(patched(member("a"), 257, bytes(8))), "POSIX nor GNU"),
    "tar-header: number": (lambda: of_members(patched(member("a"), 124, b"00000000x00")), "malformed"),
    "tar-header: negative": (
        lambda: of_members(patched(member("a"), 124, b"\xff" * 12)),
        "malformed",
    ),
    "tar-header: owner": (
        lambda: of_members(patched(member("a"), 108, b"\x80" + b"\x7f" * 7)),
        "too large a number",
    ),
    "tar-header: owner by PAX": (lambda: of_members(record(pax("uid", "9" * 12))), "too large a number"),
    "tar-header: type": (lambda: of_members(patched(member("a"), 156, b"7")), "type b'7'"),
    "tar-header: global records": (
        lambda: of_members(member("g", pax("path", "b").encode(), type=tarfile.XGLTYPE)),
        "type b'g'",
    ),
    "tar-header: directory with content": (
        lambda: of_members(member("a", b"x" * 512, type=tarfile.DIRTYPE)),
        "has a size",
    ),
    "tar-header: link with content": (
        lambda: of_members(member("a", b"x" * 512, type=tarfile.SYMTYPE, link="b")),
        "has a size",
    ),
    "tar-header: file named like a directory": (lambda: of_members(member("a/")), "ends in a slash"),
    "tar-header: two sizes": (lambda: of_members(record(pax("size", "512"))), "a size is given twice"),
    "tar-header: two names": (
        lambda: of_members(
            member("x", b"long\0", type=tarfile.GNUTYPE_LONGNAME, format=tarfile.GNU_FORMAT)
            + record(pax("path", "b"))
        ),
        "a name is given twice",
    ),
    "tar-header: two extensions": (
        lambda: of_members(
            member("x", b"long\0", type=tarfile.GNUTYPE_LONGNAME, format=tarfile.GNU_FORMAT) * 2 + member("a")
        ),
        "occurs twice",
    ),
    "tar-header: zero byte in a long name": (
        lambda: of_members(
            member("x", b"a\0b\0", type=tarfile.GNUTYPE_LONGNAME, format=tarfile.GNU_FORMAT) + member("a")
        ),
        "zero byte",
    ),
    "tar-header: long extension": (
        lambda: of_members(
            member("x", bytes(5000), type=tarfile.GNUTYPE_LONGNAME, format=tarfile.GNU_FORMAT) + member("a")
        ),
        "longer than 4,096 bytes",
    ),
    "tar-header: gigabytes of records": (
        lambda: of_members(member("x", type=tarfile.XHDTYPE, size=2**33, format=tarfile.GNU_FORMAT)),
        "longer than 131,072 bytes",
    ),
    "tar-header: record twice": (
        lambda: of_members(record(pax("path", "a") + pax("path", "b"))),
        "“path” occurs twice",
    ),
    "tar-header: unknown record": (lambda: of_members(record(pax("SCHILY.realsize", "1"))), "is not known"),
    "tar-header: zero byte in a name": (lambda: of_members(record(pax("path", "a\0b"))), "zero byte"),
    "tar-header: empty name": (lambda: of_members(record(pax("path", ""))), "is empty"),
    "tar-header: size in words": (lambda: of_members(record(pax("size", "many"))), "“size” is not a number"),
    "tar-header: record of wrong length": (
        lambda: of_members(record("99 path=a\n")),
        "length of a PAX record",
    ),
    "tar-header: no record": (lambda: of_members(record("something\n")), "PAX record is malformed"),
    "data-after-end: second archive": (lambda: of_layers(PROGRAM + SECOND), "after the end of layer 1"),
    "data-after-end: in the archive": (lambda: docker_archive() * 2, "after the end of the archive"),
    "data-after-end: extension without a file": (
        lambda: of_members(record(pax("path", "b"))[:-512]),
        "after the end of layer 1",
    ),
}
