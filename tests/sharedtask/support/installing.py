"""Packages with profiles: built from the example, installed into a folder of its own, and found there."""

from __future__ import annotations

import importlib
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import evaluation
from tests.machinery.site import ROOT

EXAMPLE = ROOT / "examples" / "head-distance"
MODULE = "head_distance"


def build(folder: Path, *, change: Callable[[str], str] = lambda text: text) -> Path:
    """Build a wheel of the example, after a change of its module and version, and install it; where it is."""
    source, target = folder / "source", folder / "installed"
    shutil.copytree(EXAMPLE, source)
    for name in (f"{MODULE}.py", "pyproject.toml"):
        path = source / name
        path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    options = ["--no-deps", "--no-index", "--no-build-isolation"]
    subprocess.run([*pip, "wheel", *options, "--wheel-dir", str(folder), str(source)], check=True)
    (wheel,) = folder.glob("*.whl")
    subprocess.run([*pip, "install", *options[:2], "--target", str(target), str(wheel)], check=True)
    return target


@dataclass
class Environment:
    """What is installed next to the site."""

    installed: Path | None = None

    def install(self, folder: Path | None) -> None:
        """In place of what was installed before; a server would be started again."""
        if self.installed is not None:
            sys.path.remove(str(self.installed))
        sys.modules.pop(MODULE, None)
        self.installed = folder
        if folder is not None:
            sys.path.insert(0, str(folder))
        importlib.invalidate_caches()
        evaluation.PROFILES._plugins, evaluation.PROFILES._errors = None, {}


@contextmanager
def environment() -> Iterator[Environment]:
    started = Environment()
    try:
        yield started
    finally:
        started.install(None)
