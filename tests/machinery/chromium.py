"""A Chromium for the browser tests: the one found, else the one that apt installs, else a clear failure."""

import fcntl
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARGUMENTS = (
    # Inside containers and as root the sandbox cannot be set up; the pages are our own.
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


class NoChromium(Exception):
    """No Chromium: install one (Debian: apt-get install chromium), or give its path as CHROMIUM."""


def find_or_install() -> Path:
    found = _find()
    if found is None and os.geteuid() == 0 and shutil.which("apt-get"):
        # Parallel sessions wait for each other here instead of fighting over apt's own lock.
        with (Path(tempfile.gettempdir()) / "arboretum-apt.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            found = _find() or _install()
    if found is None:
        raise NoChromium(NoChromium.__doc__)
    return found


def _find() -> Path | None:
    given = os.environ.get("CHROMIUM")
    if given:
        return Path(given) if os.access(given, os.X_OK) else None
    for name in NAMES:
        path = shutil.which(name)
        if path:
            return Path(path)
    return None


def _install() -> Path | None:
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for command in (["apt-get", "update", "-q"], ["apt-get", "install", "-yq", "chromium"]):
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise NoChromium(f"{' '.join(command)} failed: {done.stderr.strip()[-500:]}")
    return _find()
