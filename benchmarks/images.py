"""Speed of checking and rewriting images: megabytes per second, and ratios to reading and hashing alone.

Run with `make bench`. Both sides are measured in the same run by the time that the processor gave them. A
megabyte is one of the unpacked layers. Each line of output ends with its target.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import random
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from backports import zstd  # noqa: E402

from airlock.images import rewrite  # noqa: E402

MEBIBYTE = 1024 * 1024
LAYERS = {"large files": (100, 2 * MEBIBYTE), "small files": (20_000, 4096)}
"""Number and size of the files: a model and its libraries, and a Python environment."""


def main() -> None:
    for what, (number, size) in LAYERS.items():
        layer = make_layer(number, size)
        plain = docker_archive(layer, layer)
        forms = {
            "plain": plain,
            "gzip layers": docker_archive(layer, gzip.compress(layer, 6)),
            "zstd layers": docker_archive(layer, zstd.compress(layer, 3)),
            "gzip archive": gzip.compress(plain, 6),
        }
        for form, archive in forms.items():
            measure(f"{what}, {form}", archive, layer)


def make_layer(number: int, size: int) -> bytes:
    """Files that compress to about a half."""
    source = random.Random(0)
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for index in range(number):
            info = tarfile.TarInfo(f"usr/lib/python3/packages/{index // 100}/module_{index}.py")
            data = source.randbytes(size // 2).hex().encode()
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return target.getvalue()


def docker_archive(layer: bytes, packed: bytes) -> bytes:
    digest = hashlib.sha256(layer).hexdigest()
    configuration = {
        "architecture": "amd64",
        "os": "linux",
        "config": {"Cmd": ["/bin/parse"]},
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}"]},
    }
    files = {
        "layer.tar": packed,
        "config.json": json.dumps(configuration).encode(),
        "manifest.json": json.dumps([{"Config": "config.json", "Layers": ["layer.tar"]}]).encode(),
    }
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return target.getvalue()


def measure(what: str, archive: bytes, layer: bytes) -> None:
    with tempfile.TemporaryDirectory() as name:
        packed, plain = Path(name) / "packed", Path(name) / "plain"
        packed.write_bytes(archive)
        plain.write_bytes(layer)
        ours = min(processor_seconds(lambda: check(packed, Path(name))) for _ in range(3))
        least = min(processor_seconds(lambda: read_and_hash(plain)) for _ in range(3))
    figure = f"{len(layer) / 1e6 / ours:.0f} MB/s, {ours / least:.1f} ×"
    print(f"{what:<64} {figure:>24}   target 100 MB/s", flush=True)


def processor_seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def check(packed: Path, folder: Path) -> None:
    with packed.open("rb") as source, (folder / "written").open("w+b") as target:
        rewrite(source, target, scratch=folder)


def read_and_hash(path: Path) -> None:
    with path.open("rb") as file:
        hashlib.file_digest(file, "sha256")


if __name__ == "__main__":
    main()
