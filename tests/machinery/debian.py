"""A program of the machine: the one found, else the one that apt installs, else a clear failure."""

import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path


class NotInstalled(Exception):
    """A program that the tests need and cannot install themselves; the message says how to."""


def find_or_install(names: Sequence[str], *, package: str, variable: str) -> Path:
    result = _find(names, variable)
    if result is None and os.geteuid() == 0 and shutil.which("apt-get"):
        # Parallel sessions wait for each other here instead of fighting over apt's own lock.
        with (Path(tempfile.gettempdir()) / "arboretum-apt.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            result = _find(names, variable) or _install(names, package, variable)
    if result is None:
        raise NotInstalled(
            f"No {package}: install it (Debian: apt-get install {package}), or give its path as {variable}."
        )
    return result


def _find(names: Sequence[str], variable: str) -> Path | None:
    given = os.environ.get(variable)
    if given:
        return Path(given) if os.access(given, os.X_OK) else None
    # Servers lie in /usr/sbin, where only root looks by itself.
    places = f"{os.environ.get('PATH', '')}:/usr/sbin"
    whichs = (shutil.which(name, path=places) for name in names)
    return next((Path(path) for path in whichs if path), None)


def _install(names: Sequence[str], package: str, variable: str) -> Path | None:
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for command in (["apt-get", "update", "-q"], ["apt-get", "install", "-yq", package]):
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise NotInstalled(f"{' '.join(command)} failed: {done.stderr.strip()[-500:]}")
    return _find(names, variable)
