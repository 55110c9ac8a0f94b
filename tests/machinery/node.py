"""Node.js and the JavaScript client of resumable uploads, installed when a test first needs them."""

import fcntl
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from tests.machinery import debian
from tests.machinery.site import ROOT

SOURCES = Path(__file__).parent / "tus"
FOLDER = ROOT / "build" / "tus"


def find_or_install() -> Path:
    return debian.find_or_install(["node", "nodejs"], package="nodejs", variable="NODE")


def tus_client() -> list[str]:
    """The command that uploads a file with tus-js-client; see `tus/upload.js` for its arguments."""
    node = find_or_install()
    # Parallel sessions wait for each other.
    with (Path(tempfile.gettempdir()) / "arboretum-npm.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not is_installed():
            install()
    return [str(node), str(FOLDER / "upload.js")]


def is_installed() -> bool:
    locked, installed = SOURCES / "package-lock.json", FOLDER / "package-lock.json"
    complete = (FOLDER / "node_modules" / ".package-lock.json").exists()
    same = complete and installed.exists() and locked.read_bytes() == installed.read_bytes()
    return same and (FOLDER / "upload.js").read_bytes() == (SOURCES / "upload.js").read_bytes()


def install() -> None:
    npm = debian.find_or_install(["npm"], package="npm", variable="NPM")
    shutil.copytree(SOURCES, FOLDER, dirs_exist_ok=True)
    command = [str(npm), "ci", "--no-audit", "--no-fund", "--ignore-scripts"]
    done = subprocess.run(
        command, cwd=FOLDER, env=dict(os.environ), capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise debian.NotInstalled(f"npm ci failed for tus-js-client: {done.stderr.strip()[-500:]}")
