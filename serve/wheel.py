"""Build the wheel of the evaluator and the client, which the site hands out.

In: the folder of the checkout and a folder for the wheel. Out: `arboretum-<version>-py3-none-any.whl` there,
built from a copy of the sources: the checkout may be read-only, and remains of an earlier build must not get
into the wheel. The same sources give the same bytes, and are built once.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from .preflight import Refusal

SOURCES = ("pyproject.toml", "README.md", "LICENSE", "evaluation", "airlock")
STAMP = "sources.sha256"
# The dates of the members, so that they do not depend on the day: 1980 is the earliest that zip can store.
EPOCH = "315532800"


def build(root: Path, folder: Path) -> Path:
    """Return the wheel, built unless the one in the folder has the same sources."""
    folder.mkdir(parents=True, exist_ok=True)
    digest = digest_of(root)
    stamp = folder / STAMP
    wheels = list(folder.glob("arboretum-*.whl"))
    if len(wheels) == 1 and stamp.exists() and stamp.read_text(encoding="ascii") == digest:
        return wheels[0]
    with tempfile.TemporaryDirectory(prefix="arboretum-wheel-") as name:
        built = run_pip(copy_sources(root, Path(name)), Path(name) / "wheel")
        stamp.unlink(missing_ok=True)
        for wheel in wheels:
            wheel.unlink()
        target = folder / built.name
        shutil.copyfile(built, target)
    stamp.write_text(digest, encoding="ascii")
    return target


def run_pip(sources: Path, folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check"]
    # Nothing is fetched: setuptools is among the requirements.
    command += ["--no-index", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(sources)]
    environment = os.environ | {"SOURCE_DATE_EPOCH": EPOCH}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or ["unknown reason"])[-1]
        raise Refusal(f"The wheel of the evaluator could not be built: {reason}")
    (wheel,) = folder.glob("arboretum-*.whl")
    return wheel


def copy_sources(root: Path, folder: Path) -> Path:
    copy = folder / "sources"
    for file in source_files(root):
        target = copy / file.relative_to(root)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)
        target.chmod(0o644)
    return copy


def digest_of(root: Path) -> str:
    digest = hashlib.sha256()
    for file in source_files(root):
        content = file.read_bytes()
        digest.update(f"{file.relative_to(root).as_posix()}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def source_files(root: Path) -> Iterator[Path]:
    for name in SOURCES:
        below = sorted((root / name).rglob("*")) if (root / name).is_dir() else [root / name]
        yield from (path for path in below if path.is_file() and "__pycache__" not in path.parts)
