"""Container engines for a test session: dockerd and `podman system service`, each in a folder of its own.

Both need root. As root on Debian they are installed if they are missing; elsewhere `TEST_DOCKER_HOST` and
`TEST_PODMAN_HOST` give the addresses of engines to use instead.
"""

from __future__ import annotations

import gc
import os
import shutil
import signal
import subprocess
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from docker.errors import NotFound

from airlock.engine import Engine, EngineUnavailable, connect
from airlock.engine.calls import open_client
from airlock.engine.cgroup import ROOT
from airlock.engine.purpose import VOLUME
from serve import processes
from tests.machinery import debian

START_SECONDS = 60
REMOVAL_SECONDS = 60


class Daemon:
    """An engine that can be stopped and started again with its data."""

    def __init__(self, name: str, folder: Path, command: Sequence[str], *, grace_seconds: float) -> None:
        self.name = name
        self.socket = folder / "socket"
        self._log = folder / "log"
        self._command = command
        self._grace_seconds = grace_seconds
        self._process: subprocess.Popen[str] | None = None
        self._engine: Engine | None = None

    @property
    def url(self) -> str:
        return f"unix://{self.socket}"

    def start(self) -> Engine:
        with self._log.open("a", encoding="utf-8") as log:
            # Asked to end, engines end what they have started. Podman's monitor leaves files in its folder.
            self._process = processes.start(
                self._command, folder=self._log.parent, output=log, death_signal=signal.SIGTERM
            )
        end = time.monotonic() + START_SECONDS
        while True:
            try:
                self._engine = connect(self.url)
                collect_lost_sockets()
                return self._engine
            except EngineUnavailable:
                if self._process.poll() is not None or time.monotonic() > end:
                    log_end = self._log.read_text(encoding="utf-8", errors="replace")[-2000:]
                    raise RuntimeError(f"{self.name} did not start:\n{log_end}") from None
                time.sleep(0.05)

    def stop(self) -> None:
        if self._engine is not None:
            self._engine.close()
        if self._process is not None:
            processes.stop([self._process], grace_seconds=self._grace_seconds)
            self._process = None
        self._engine = None
        self.socket.unlink(missing_ok=True)
        collect_lost_sockets()


def collect_lost_sockets() -> None:
    """The client library does not close sockets on which no engine listens; a later test is not to blame."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


def forget_purpose(engine: Engine) -> None:
    """Tests for software of teams and those for scorers share an engine, one after the other."""
    with closing(open_client(engine.facts.url)) as client, suppress(NotFound):
        client.remove_volume(VOLUME)


@contextmanager
def dockerd(folder: Path) -> Iterator[Daemon]:
    folder.mkdir(parents=True)
    program = _find("dockerd", package="docker.io", variable="DOCKERD")
    daemon = Daemon("dockerd", folder, _dockerd_command(program, folder), grace_seconds=30)
    try:
        yield daemon
    finally:
        daemon.stop()
        _remove(folder)


def _dockerd_command(program: Path, folder: Path) -> list[str]:
    folders = ["--data-root", str(folder / "data"), "--exec-root", str(folder / "exec")]
    files = ["--pidfile", str(folder / "pid"), "--host", f"unix://{folder / 'socket'}"]
    # An empty configuration: that of the machine may contradict these options.
    configuration = folder / "daemon.json"
    configuration.write_text("{}")
    network = ["--bridge", "none", "--iptables=false", "--ip6tables=false"]
    options = ["--config-file", str(configuration), "--exec-opt", "native.cgroupdriver=cgroupfs"]
    return [str(program), *folders, *files, *network, *options]


@contextmanager
def podman(folder: Path) -> Iterator[Daemon]:
    folder.mkdir(parents=True)
    program = _find("podman", package="podman", variable="PODMAN")
    options = ["--root", str(folder / "data"), "--runroot", str(folder / "run")]
    options += ["--tmpdir", str(folder / "tmp"), "--cgroup-manager", "cgroupfs", *_runtime()]
    service = ["system", "service", "--time", "0", f"unix://{folder / 'socket'}"]
    # The service waits for open connections, and has nothing of its own to finish.
    daemon = Daemon("podman", folder, [str(program), *options, *service], grace_seconds=1)
    try:
        yield daemon
    finally:
        daemon.stop()
        # Containers of podman do not end with the service.
        subprocess.run([str(program), *options, "rm", "--all", "--force"], capture_output=True, check=False)
        _remove(folder)


def _runtime() -> list[str]:
    """crun, which podman prefers, refuses cgroup v1 with some controllers of v2 next to it."""
    hybrid = (ROOT / "unified").is_dir()
    return ["--runtime", str(_find("runc", package="runc", variable="RUNC"))] if hybrid else []


def _find(name: str, *, package: str, variable: str) -> Path:
    if os.geteuid() != 0:
        host = f"TEST_{'PODMAN' if name == 'podman' else 'DOCKER'}_HOST"
        raise debian.NotInstalled(f"{name} has to be started by root: run the tests as root, or set {host}.")
    return debian.find_or_install([name], package=package, variable=variable)


def _remove(folder: Path) -> None:
    """Processes of an engine may end, and mount, a little later than the engine itself.

    The cgroup above those of all runs stays: another test process may be about to make one in it.
    """
    end = time.monotonic() + REMOVAL_SECONDS
    while folder.exists() and time.monotonic() < end:
        if not _is_in_use(folder):
            _unmount_below(folder)
            shutil.rmtree(folder, ignore_errors=True)
        time.sleep(0.2)


def _is_in_use(folder: Path) -> bool:
    """podman cleans up after each container in a process of its own, which would mount the folder again."""
    for command in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if f"{folder}/".encode() in command.read_bytes():
                return True
    return False


def _unmount_below(folder: Path) -> None:
    """The innermost first."""
    mounts = [line.split()[1] for line in Path("/proc/self/mounts").read_text().splitlines()]
    for mount in reversed([mount for mount in mounts if mount.startswith(f"{folder}/")]):
        subprocess.run(["umount", "--lazy", mount], capture_output=True, check=False)


def find_busybox() -> Path:
    return debian.find_or_install(["busybox"], package="busybox-static", variable="BUSYBOX")
