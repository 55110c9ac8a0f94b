"""The step before everything: .venv. What can be missing on a fresh machine is said in one line."""

import os
import subprocess
from pathlib import Path

from tests.machinery.site import ROOT

SCRIPT = ROOT / "serve" / "make_venv.sh"


def program(folder: Path, name: str, script: str) -> None:
    file = folder / name
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)


def refusal(folder: Path, **environment: str) -> str:
    """The script's last words in an empty folder, where programs in `bin` come before the machine's."""
    path = f"{folder / 'bin'}:{os.environ['PATH']}"
    done = subprocess.run(
        [SCRIPT, "requirements.txt"],
        cwd=folder,
        env=os.environ | {"PATH": path} | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    return line


def test_old_python_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    # Prints a version when asked for one, and fails the question whether it is new enough.
    program(tmp_path / "bin", "old", 'case "$2" in *platform*) echo 3.9.2;; *) exit 1;; esac')
    assert refusal(tmp_path, PYTHON="old") == (
        "arboretum: Python 3.11 or newer is required, but old is 3.9.2; choose another with PYTHON=..."
    )


def test_missing_python_is_refused_in_one_line(tmp_path: Path) -> None:
    line = refusal(tmp_path, PYTHON="no-such-python")
    assert line == "arboretum: Python 3.11 or newer is required, but there is no python3 on the PATH."


def test_missing_venv_module_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    program(
        tmp_path / "bin", "bare", 'case "$2" in *platform*) echo 3.11.2;; *ensurepip*) exit 1;; esac; exit 0'
    )
    assert "bare (3.11.2) has no venv module" in refusal(tmp_path, PYTHON="bare")


def test_full_disk_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    program(tmp_path / "bin", "df", "echo header; echo /dev/disk 1000000 999000 1000 99% /")
    assert refusal(tmp_path) == (
        "arboretum: Not enough disk space: 0 MiB are free here; 1000 MiB are needed for .venv."
    )
    assert not (tmp_path / ".venv").exists()
