"""What kind of engine answers at an address, and what it can do."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import docker

from .calls import engine_call


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
        return None


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
        clock_offset=clock_offset,
    )


def parse_time(text: str) -> float:
    """Seconds since 1970; engines write nanoseconds and their local time zone."""
    return datetime.fromisoformat(text).timestamp()
