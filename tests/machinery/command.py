"""The command `arboretum` as people install it: the wheel in a virtual environment of its own.

Beside the wheel the environment has only what the wheel requires, linked from ours instead of fetched, so
that anything else it imported would be missing.
"""

import signal
import subprocess
import sys
import venv
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path

REQUIRED = ("argcomplete", "conllu", "numpy", "platformdirs")


@dataclass(frozen=True, kw_only=True)
class Command:
    program: Path
    environment: Mapping[str, str]

    def __call__(self, *words: object, **environment: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [str(self.program), *map(str, words)],
            env={**self.environment, **environment},
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )

    def start(self, *words: object, **environment: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [str(self.program), *map(str, words)],
            env={**self.environment, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # Tests that a shell has started in the background ignore interruptions, and so would the command.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )


def install(wheel: Path, folder: Path) -> Command:
    """With a configuration and a cache below the folder."""
    venv.create(folder / "venv", symlinks=True, with_pip=False)
    (packages,) = (folder / "venv").glob("lib/python*/site-packages")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(packages)
    for name in REQUIRED:
        link(name, packages)
    program = folder / "venv" / "bin" / "arboretum"
    # What pip writes for an entry point.
    python = folder / "venv" / "bin" / "python"
    program.write_text(f"#!{python}\nimport sys\nfrom arboretum.cli import main\nsys.exit(main())\n")
    program.chmod(0o755)
    environment = {
        "PATH": str(program.parent),
        "HOME": str(folder / "home"),
        "ARBORETUM_CONFIG": str(folder / "config"),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "PYTHONPYCACHEPREFIX": sys.pycache_prefix or str(folder / "pycache"),
    }
    return Command(program=program, environment=environment)


def link(name: str, packages: Path) -> None:
    files = distribution(name).files or []
    for top in {file.parts[0] for file in files if file.parts[0] != ".." and "__pycache__" not in file.parts}:
        source = Path(str(distribution(name).locate_file(top)))
        if source.exists() and not (packages / top).exists():
            (packages / top).symlink_to(source)
