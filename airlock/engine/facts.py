"""What kind of engine answers at an address, and what it can do."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

import docker

from .calls import engine_call

SUBORDINATE_IDS = Path("/etc/subuid")
"""podman takes the users of automatic namespaces from the entry of the account `containers`."""


@dataclass(frozen=True, kw_only=True)
class Facts:
    kind: Literal["docker", "podman"]
    version: str
    url: str
    architecture: str
    cgroup_version: int
    cgroup_driver: str
    rootless: bool
    limits_memory: bool
    maps_users: Literal["always", "per run", "never"]
    """Whether users in containers are other users on the host: always (a rootless engine, or dockerd with
    --userns-remap), in a user namespace for each run (podman, if the host has ids for it), or never."""
    clock_offset: float
    """Seconds from this process's monotonic clock to the engine's clock."""

    @property
    def description(self) -> str:
        rootless = "rootless, " if self.rootless else ""
        return f"{self.kind} {self.version} ({rootless}cgroup v{self.cgroup_version}) at {self.url}"

    def now(self) -> float:
        """The engine's time, in seconds since 1970."""
        return time.monotonic() + self.clock_offset

    def refusal(self, *, ulimit_shim: bool) -> str | None:
        """Why nothing can be run here."""
        if self.architecture not in ("x86_64", "amd64"):
            return f"The engine's architecture is {self.architecture}; only amd64 is supported."
        if not self.limits_memory and not ulimit_shim:
            return (
                "The engine cannot limit memory: rootless engines need cgroup v2 for that. Boot with "
                "systemd.unified_cgroup_hierarchy=1, use the engine as root, or choose the shim, which "
                "limits the memory of each process instead of all together."
            )
        if not self.limits_memory and self.ignores_process_limits:
            return (
                f"The shim does not work here: podman {self.version} ignores limits of processes if it is "
                "rootless. Use podman 5.5 or newer, cgroup v2, or the engine as root."
            )
        return None

    @property
    def ignores_process_limits(self) -> bool:
        """https://github.com/containers/podman/issues/25881"""
        return self.kind == "podman" and self.rootless and _numbers(self.version) < (5, 5)


def read_facts(client: docker.APIClient, url: str) -> Facts:
    with engine_call("describe itself"):
        info: Mapping[str, Any] = client.info()
        # At once: the engine reads its clock just before it answers.
        clock_offset = parse_time(str(info["SystemTime"])) - time.monotonic()
    options = info.get("SecurityOptions") or ()
    rootless = bool(info.get("Rootless")) or any("rootless" in option for option in options)
    cgroup_version = int(info.get("CgroupVersion") or 1)
    return Facts(
        # podman needs two seconds to say its name; only it names the version of its builder.
        kind="podman" if "BuildahVersion" in info else "docker",
        version=str(info.get("ServerVersion")),
        url=url,
        architecture=str(info.get("Architecture")),
        cgroup_version=cgroup_version,
        cgroup_driver=str(info.get("CgroupDriver")),
        rootless=rootless,
        # Engines report that the kernel can limit memory even where they themselves may not.
        limits_memory=bool(info.get("MemoryLimit")) and not (rootless and cgroup_version == 1),
        maps_users=_maps_users(info, url, rootless=rootless),
        clock_offset=clock_offset,
    )


def _maps_users(
    info: Mapping[str, Any], url: str, *, rootless: bool
) -> Literal["always", "per run", "never"]:
    if rootless or any("name=userns" in option for option in info.get("SecurityOptions") or ()):
        return "always"
    if "BuildahVersion" not in info or not url.startswith("unix://"):
        return "never"
    try:
        lines = SUBORDINATE_IDS.read_text(encoding="utf-8").splitlines()
    except OSError:
        return "never"
    return "per run" if any(line.startswith("containers:") for line in lines) else "never"


def _numbers(version: str) -> tuple[int, ...]:
    """`4.3.1+ds1` → (4, 3)."""
    return tuple(int(part) for part in re.findall(r"\d+", version)[:2])


def parse_time(text: str) -> float:
    """Seconds since 1970; engines write nanoseconds and their local time zone."""
    return datetime.fromisoformat(text).timestamp()
