"""What the kernel has counted for a run: processor time, memory, processes, and whether memory ran out.

A container's own cgroup is removed together with its counters as soon as the container ends, and engines
forget or never say that memory ran out. So the container gets a parent cgroup of our own, if this process may
make one. On cgroup v1, where kills are not counted upward, the limit of memory is set on the parent. Engines
that leave cgroups to systemd (v2) are given the name of a slice, which systemd makes and keeps until it is
asked to stop it.
"""

from __future__ import annotations

import errno
import hashlib
import logging
import os
import shutil
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
FOLDER = "/arboretum-airlock"
SLICES = "arboretum"
SYSTEMCTL_SECONDS = 10
GONE = (errno.ENOENT, errno.ENODEV)
SLACK_BYTES = 2**20
"""By so much is the limit of a container above that of its parent, so that the parent's is the first to be
reached."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Reading:
    cpu_seconds: float | None = None
    memory_bytes: int | None = None
    peak_bytes: int | None = None
    out_of_memory: bool = False
    peak_processes: int | None = None


def path_of_run(run_id: str) -> str:
    return f"{FOLDER}/{run_id}"


def path_of_process(pid: int) -> str | None:
    """The cgroup (v2) that an engine chose, for engines that take none of ours."""
    try:
        lines = Path(f"/proc/{pid}/cgroup").read_text().splitlines()
    except OSError:
        return None
    return next((line.removeprefix("0::") for line in lines if line.startswith("0::/")), None)


class Cgroup:
    """On cgroup v1 there is a folder for each controller, on v2 one for all."""

    def __init__(self, path: str, *, version: int, root: Path = ROOT) -> None:
        self.path = path
        self._version = version
        self._root = root
        self._events: int | None = None
        self._last = Reading()

    @property
    def parent(self) -> str:
        """What the engine is given as the parent of the container's cgroup."""
        return self.path

    def create(self, *, memory_bytes: int) -> bool:
        """Whether it could be made: only root may, and only on the engine's host. The log says why not."""
        try:
            if self._version == 1:
                self._create_v1(memory_bytes)
            else:
                # The engine's runtime switches the controllers on; reading needs no more than the folder.
                self._folder("").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            log.warning("a run is not measured, because its cgroup cannot be made: %s", error)
            self.remove()
            return False
        return True

    def _create_v1(self, memory_bytes: int) -> None:
        for controller in ("memory", "cpuacct", "pids"):
            self._folder(controller).mkdir(parents=True, exist_ok=True)
        self._write("memory", "memory.limit_in_bytes", memory_bytes)
        with suppress(FileNotFoundError):  # Kernels without accounting of swap do not have this.
            self._write("memory", "memory.memsw.limit_in_bytes", memory_bytes)
        self._watch()

    def _watch(self) -> None:
        """Be notified by the kernel: the counter of kills is that of the removed cgroup alone."""
        self._events = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        control = os.open(self._folder("memory") / "memory.oom_control", os.O_RDONLY)
        try:
            self._write("memory", "cgroup.event_control", f"{self._events} {control}")
        finally:
            os.close(control)

    def read(self) -> Reading:
        """What was read last, once the cgroup is gone."""
        reading = self._read_v1() if self._version == 1 else self._read_v2()
        if reading.cpu_seconds is not None or reading.memory_bytes is not None:
            self._last = reading
        return self._last

    def _read_v1(self) -> Reading:
        nanoseconds = self._number("cpuacct", "cpuacct.usage")
        return Reading(
            cpu_seconds=None if nanoseconds is None else nanoseconds / 1e9,
            memory_bytes=self._number("memory", "memory.usage_in_bytes"),
            peak_bytes=self._number("memory", "memory.max_usage_in_bytes"),
            out_of_memory=self._last.out_of_memory or self._was_notified(),
            peak_processes=self._number("pids", "pids.peak"),
        )

    def _read_v2(self) -> Reading:
        microseconds = self._entry("", "cpu.stat", "usage_usec")
        return Reading(
            cpu_seconds=None if microseconds is None else microseconds / 1e6,
            memory_bytes=self._number("", "memory.current"),
            peak_bytes=self._number("", "memory.peak"),
            out_of_memory=bool(self._entry("", "memory.events", "oom_kill")),
            peak_processes=self._number("", "pids.peak"),
        )

    def _was_notified(self) -> bool:
        if self._events is None:
            return False
        try:
            return os.eventfd_read(self._events) > 0
        except BlockingIOError:
            return False

    def remove(self) -> None:
        if self._events is not None:
            os.close(self._events)
            self._events = None
        roots = [self._root, *self._root.glob("*/")] if self._version == 1 else [self._root]
        for root in roots:
            with suppress(OSError):
                (root / self.path.lstrip("/")).rmdir()

    def _folder(self, controller: str) -> Path:
        return self._root / controller / self.path.lstrip("/")

    def _write(self, controller: str, name: str, value: int | str) -> None:
        (self._folder(controller) / name).write_text(str(value))

    def _number(self, controller: str, name: str) -> int | None:
        text = self._text(controller, name)
        return int(text) if text.strip().isdecimal() else None

    def _entry(self, controller: str, name: str, key: str) -> int | None:
        lines = self._text(controller, name).splitlines()
        values = (line.split()[1] for line in lines if line.split()[:1] == [key])
        return next((int(value) for value in values), None)

    def _text(self, controller: str, name: str) -> str:
        """Empty where the kernel does not count this, or the cgroup is gone."""
        file = self._folder(controller) / name
        try:
            return file.read_text()
        except OSError as error:
            if error.errno not in GONE:
                log.warning("a counter of a run cannot be read: %s: %s", file, error)
            return ""


class Slice(Cgroup):
    """A cgroup (v2) that systemd makes when the engine names it, for the whole host or for a user."""

    def __init__(self, run_id: str, *, user: int | None, root: Path = ROOT) -> None:
        # A hash, because in the name of a slice each hyphen leads to a slice below another.
        self._name = f"{SLICES}-{hashlib.sha256(run_id.encode()).hexdigest()[:20]}.slice"
        self._user = user
        above = "" if user is None else f"/user.slice/user-{user}.slice/user@{user}.service"
        super().__init__(f"{above}/{SLICES}.slice/{self._name}", version=2, root=root)

    @property
    def parent(self) -> str:
        return self._name

    def create(self, *, memory_bytes: int) -> bool:
        return True

    def remove(self) -> None:
        """systemd keeps an empty slice. Without systemctl, as in a container, its cgroup is removed."""
        program = shutil.which("systemctl")
        if program is not None and self._folder("").is_dir():
            options = [] if self._user is None else ["--user"]
            with suppress(OSError, subprocess.TimeoutExpired):
                subprocess.run(
                    [program, *options, "stop", self._name],
                    capture_output=True,
                    check=False,
                    timeout=SYSTEMCTL_SECONDS,
                )
        super().remove()
