"""The images of `examples/`, built once from Debian packages and kept in `build/` for the next session."""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import sys
from pathlib import Path

from tests.machinery.debian import NotInstalled
from tests.machinery.site import ROOT

EXAMPLES = ROOT / "examples"
FOLDER = ROOT / "build" / "examples"


def example_image(name: str) -> Path:
    """The archive of the example `awk` or `python`."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    archive = FOLDER / f"{name}-{version()}.tar"
    # Parallel sessions wait for the first one instead of building the same image.
    with (FOLDER / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not archive.exists():
            build(name, archive)
    return archive


def version() -> str:
    """Of the sources."""
    sources = [path for path in sorted(EXAMPLES.rglob("*")) if path.suffix in (".py", ".awk")]
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:12]


def build(name: str, archive: Path) -> None:
    partial = archive.with_suffix(".partial")
    command = [sys.executable, str(EXAMPLES / "build_image.py"), name, str(partial)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode and os.geteuid() == 0:
        subprocess.run(["apt-get", "update", "-q"], capture_output=True, check=False)
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotInstalled(f"The image {name} cannot be built: {done.stderr.strip()[-500:]}")
    partial.rename(archive)
