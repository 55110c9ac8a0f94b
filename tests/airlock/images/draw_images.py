"""Random image archives, from honest ones to damaged ones, for `fuzz_images.py`."""

from __future__ import annotations

import gzip
import json
import random
import tarfile
from typing import Any

from tests.airlock.images import build

HONEST_NAMES = ("a", "b", "a/b", "./c", "d", "d/e", "d/e/f", "g" * 110)
NAMES = (
    "/a", "../a", "a/../b", "a//b", ".", "", "./a/", "x" * 120, "x/" * 60 + "y", "x" * 300, "a/b/c",
    ".wh.a", "a/.wh..wh..opq", ".wh...", ".wh.", "a/.wh.b", ".wh.a/b", "größe", "\udcff\udcfe", "a\x1b[0m",
)  # fmt: skip
HONEST_TYPES = b"00000055122"
TYPES = b"00000000\x0055551122234567gxLKSVMND"
VALUES: tuple[Any, ...] = (
    None,
    0,
    -1,
    1e300,
    True,
    "",
    "a",
    "\ud800",
    "\0",
    [],
    {},
    [[]],
    [None],
    {"a": None},
    "x" * 70_000,
)
RECORDS = (
    {"path": "a/b"}, {"path": "../a"}, {"path": "a\0b"}, {"linkpath": "/etc"}, {"size": "5"},
    {"size": str(2**40)},
    {"GNU.sparse.size": "9"}, {"SCHILY.xattr.user.a": "b"}, {"SCHILY.xattr.trusted.overlay.opaque": "y"},
    {"uid": "7"}, {"mtime": "1.5"}, {"hdrcharset": "BINARY"}, {"comment": "x" * 1000},
)  # fmt: skip


def draw_archive(random: random.Random) -> bytes:
    layers = [draw_layer(random) for _ in range(random.randint(1, 3))]
    files = draw_files(random, layers)
    if random.random() < 0.2:
        spoil_document(random, files)
    members = [build.member(name, data) for name, data in files.items()]
    if random.random() < 0.1:
        members.insert(random.randrange(len(members) + 1), draw_member(random))
    archive = build.pack(*members)
    if random.random() < 0.15:
        archive = spoil_bytes(random, archive)
    archive = compress(random, archive, often=0.2)
    return spoil_bytes(random, archive) if random.random() < 0.1 else archive


def draw_files(random: random.Random, layers: list[bytes]) -> dict[str, bytes]:
    config = build.configuration(layers)
    if random.random() < 0.2:
        spoil_value(random, config)
    packed = [compress(random, layer, often=0.5) for layer in layers]
    if random.random() < 0.1:
        packed[-1] = spoil_bytes(random, packed[-1])
    if random.random() < 0.5:
        return build.docker_files(layers, config, packed=packed)
    flags = {"with_docker": random.random() < 0.3, "nested": random.random() < 0.3}
    return build.oci_files(layers, config, packed=packed, **flags)


def draw_layer(random: random.Random) -> bytes:
    if random.random() < 0.5:
        return random.choice((build.PROGRAM, build.SECOND))
    layer = build.pack(*(draw_member(random) for _ in range(random.randint(0, 6))))
    return spoil_header(random, layer) if random.random() < 0.2 else layer


def draw_member(random: random.Random) -> bytes:
    is_honest = random.random() < 0.85
    names = HONEST_NAMES if is_honest else NAMES
    type = random.choice(HONEST_TYPES if is_honest else TYPES).to_bytes(1, "big")
    is_file = type in (tarfile.REGTYPE, tarfile.AREGTYPE) or random.random() < 0.02
    try:
        return build.member(
            random.choice(names),
            random.randbytes(random.choice((0, 5, 512, 1000))) if is_file else b"",
            type=type,
            link=random.choice(names) if type in b"12" or random.random() < 0.1 else "",
            format=random.choice((tarfile.PAX_FORMAT, tarfile.GNU_FORMAT)),
            records=random.choice(RECORDS) if random.random() < 0.1 else {},
            uid=random.choice((0, 1000, 2**31)),
        )
    except UnicodeError:
        return build.member("a")


def spoil_header(random: random.Random, layer: bytes) -> bytes:
    """Other bytes in the header of a block, with the right checksum."""
    start = 512 * random.randrange(len(layer) // 512)
    offset = random.choice((0, 100, 108, 124, 136, 156, 157, 257, 263, 345, 508))
    data = random.choice((b"\xff" * 12, b"\x80" + bytes(11), b"/", b"\0", b"7777", b" ", random.randbytes(4)))
    return layer[:start] + build.patched(layer[start : start + 512], offset, data) + layer[start + 512 :]


def spoil_bytes(random: random.Random, data: bytes) -> bytes:
    at = random.randrange(len(data) + 1)
    kind = random.randrange(4)
    if kind == 0:
        return data[:at]
    if kind == 1:
        return data + random.choice((data, bytes(10_000), b"x"))
    if kind == 2:
        return data[:at] + random.randbytes(random.choice((1, 4, 600))) + data[at:]
    return data[:at] + random.randbytes(1) + data[at + 1 :]


def spoil_document(random: random.Random, files: dict[str, bytes]) -> None:
    documents = [name for name, data in files.items() if data[:1] in (b"{", b"[")]
    name = random.choice(documents)
    if random.random() < 0.3:
        files[name] = random.choice(
            (b"[" * 50_000, b"", b"{}", b"[]", b"null", b'"' + b"x" * 2**20, files[name][:-5])
        )
        return
    document = json.loads(files[name])
    spoil_value(random, document)
    files[name] = build.encode(document)


def spoil_value(random: random.Random, document: Any) -> None:
    """Replace a value at a random depth."""
    keys = list(document) if isinstance(document, dict) else range(len(document))
    if not keys:
        return
    key = random.choice(keys)
    if isinstance(document[key], dict | list) and random.random() < 0.7:
        spoil_value(random, document[key])
    else:
        document[key] = random.choice(VALUES)


def compress(random: random.Random, data: bytes, *, often: float) -> bytes:
    if random.random() > often:
        return data
    return gzip.compress(data) if random.random() < 0.5 else build.zstd_compress(data)
