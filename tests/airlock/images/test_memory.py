"""Memory does not grow with the size of an image."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

from tests.airlock.images import build
from tests.machinery.site import ROOT

MEBIBYTE = 1024 * 1024
SIZE = 200 * MEBIBYTE
REWRITE = """
import sys
from airlock.images import rewrite
from tests.machinery.fuzzing import MEBIBYTE, limit_memory
limit_memory(16 * MEBIBYTE)
with open(sys.argv[1], "rb") as source, open(sys.argv[2], "w+b") as target:
    print(rewrite(source, target).uncompressed_bytes)
"""


def test_image_of_200_megabytes_takes_less_than_16(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    size = write_image(source)
    command = [sys.executable, "-c", REWRITE, str(source), str(target)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (f"{size}\n", "")


def write_image(path: Path) -> int:
    """An image with one file of zeros, which take no space on the disk. Out: the size of its layer."""
    header = build.member("zeros", size=SIZE)
    digest = hashlib.sha256(header)
    for _ in range(SIZE // MEBIBYTE):
        digest.update(bytes(MEBIBYTE))
    digest.update(build.END)
    size = len(header) + SIZE + len(build.END)
    config = build.configuration(rootfs={"diff_ids": [f"sha256:{digest.hexdigest()}"]})
    manifest = [{"Config": "config.json", "Layers": ["layer.tar"]}]
    with path.open("wb") as file:
        file.write(build.member("manifest.json", build.encode(manifest)))
        file.write(build.member("config.json", build.encode(config)))
        file.write(build.member("layer.tar", size=size) + header)
        file.seek(SIZE + len(build.END) + -size % 512, 1)
        file.write(build.END)
    return size
