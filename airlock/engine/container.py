"""How containers are closed. In: what to run. Out: the arguments that create its container."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import docker
from docker.types import LogConfig, Mount, Ulimit

from .cgroup import SLACK_BYTES
from .facts import Facts
from .holder import CLOSED, INPUT, OUTPUT, TMP, holder_image
from .limits import MEBIBYTE, Limits
from .parts import CGROUP_LABEL, LIMITS_LABEL, Parts
from .spec import RunSpec

SECCOMP = Path(__file__).with_name("seccomp.json")
FIRST_USER, USERS = 10_000, 50_000
USER_NAMESPACE = "auto:size=65536"
"""Users of a namespace that no other container has; the size is that of the users above."""
PODMAN_FOLDERS = ("/run", "/var/tmp")
"""podman puts file systems here that can be written without a limit, unless it is given others."""
LEAST_DATA_BYTES = 256 * MEBIBYTE
NOTHING = "ro,size=4k,nosuid,nodev,noexec,notmpcopyup"
HOLDER_LIMITS = Limits(
    memory_bytes=32 * MEBIBYTE, processes=16, log_bytes=MEBIBYTE, open_files=64, shared_memory_bytes=MEBIBYTE
)


@dataclass(frozen=True, kw_only=True)
class Closure:
    """What closes every container on this engine."""

    client: docker.APIClient
    facts: Facts
    ulimit_shim: bool
    seccomp_file: Path | None

    def holder(self, parts: Parts) -> dict[str, Any]:
        volumes = self._volumes(parts, read_only=())
        host = self._host_config(HOLDER_LIMITS, volumes, cgroup_parent=None)
        if self.facts.rootless:
            # Whatever a rootless engine executes in a container starts as the account of the engine, of which
            # all processes count: it could not look into the volumes.
            host["Ulimits"] = [limit for limit in host["Ulimits"] if limit["Name"] != "nproc"]
        return {"image": holder_image().image_id, "labels": parts.labels, **self._rest(parts.holder, host)}

    def run(self, spec: RunSpec, parts: Parts, argv: list[str], cgroup_parent: str | None) -> dict[str, Any]:
        volumes = self._volumes(parts, read_only=(INPUT,))
        host = self._host_config(spec.limits, volumes, cgroup_parent=cgroup_parent)
        if self.facts.maps_users == "per run":
            # Not for the holder, through which the engine reads files of other users.
            host["UsernsMode"] = USER_NAMESPACE
        labels = {LIMITS_LABEL: spec.limits.to_json(), CGROUP_LABEL: cgroup_parent or ""}
        return {
            "image": spec.image_id,
            "entrypoint": argv[:1],
            "command": argv[1:],
            "environment": _environment(spec.environment),
            "labels": parts.labels | labels,
            **self._rest(parts.container, host),
        }

    def _rest(self, name: str, host_config: dict[str, Any]) -> dict[str, Any]:
        user = user_of(name)
        return {
            "name": name,
            "user": f"{user}:{user}",
            "hostname": "airlock",
            "network_disabled": True,
            "healthcheck": {"test": ["NONE"]},
            # An engine that is stopped waits for its containers, which have nothing to finish.
            "stop_timeout": 0,
            "host_config": host_config,
        }

    def _volumes(self, parts: Parts, *, read_only: Collection[str]) -> dict[str, Any]:
        """Without copying: an image must not put anything of its own into a volume.

        In a user namespace podman has to repeat the options of a volume, which mounts of the API cannot say.
        """
        if self.facts.kind == "podman":
            return {
                "binds": [
                    f"{name}:{folder}:{'ro,' if folder in read_only else ''}{CLOSED},nocopy"
                    for folder, name in parts.volumes.items()
                ]
            }
        return {
            "mounts": [
                Mount(folder, name, type="volume", read_only=folder in read_only, no_copy=True)
                for folder, name in parts.volumes.items()
            ]
        }

    def _host_config(
        self, limits: Limits, volumes: dict[str, Any], *, cgroup_parent: str | None
    ) -> dict[str, Any]:
        memory = limits.memory_bytes + (
            SLACK_BYTES if cgroup_parent and self.facts.cgroup_version == 1 else 0
        )
        return self.client.create_host_config(
            network_mode="none",
            read_only=True,
            cap_drop=["ALL"],
            privileged=False,
            security_opt=["no-new-privileges", f"seccomp={self._seccomp()}"],
            nano_cpus=round(limits.cpus * 1e9),
            pids_limit=limits.processes,
            ulimits=self._ulimits(limits),
            ipc_mode="private",
            shm_size=limits.shared_memory_bytes,
            **volumes,
            tmpfs=dict.fromkeys(PODMAN_FOLDERS, NOTHING) if self.facts.kind == "podman" else None,
            log_config=self._log_config(limits),
            restart_policy={"Name": "no", "MaximumRetryCount": 0},
            cgroup_parent=cgroup_parent,
            # If the host itself runs out of memory, the kernel takes these first.
            oom_score_adj=1000,
            mem_limit=memory if self.facts.limits_memory else None,
            memswap_limit=memory if self.facts.limits_memory else None,
        )

    def _seccomp(self) -> str:
        """dockerd wants the profile, podman the name of a file on its host."""
        if self.facts.kind == "podman":
            return str(self.seccomp_file or SECCOMP)
        return (self.seccomp_file or SECCOMP).read_text(encoding="utf-8")

    def _ulimits(self, limits: Limits) -> list[Ulimit]:
        values = {
            "nofile": limits.open_files,
            # Twice as many as the cgroup allows: that reports who has reached its limit.
            "nproc": 2 * limits.processes,
            "core": 0,
            "fsize": max(limits.output_bytes, limits.tmp_bytes),
        }
        if self.ulimit_shim:
            # Private memory that can be written: engines do not know the limit of all addresses. Their own
            # programs, which start the system, need more than a few megabytes.
            values["data"] = max(limits.memory_bytes, LEAST_DATA_BYTES)
        return [Ulimit(name=name, soft=value, hard=value) for name, value in values.items()]

    def _log_config(self, limits: Limits) -> LogConfig:
        """Twice the quota: the run has been ended by then, and the disk does not fill before."""
        size = f"{2 * limits.log_bytes // 1024 + 1024}k"
        if self.facts.kind == "podman":
            return LogConfig(type="k8s-file", config={"max-size": size})
        return LogConfig(type="json-file", config={"max-size": size, "max-file": "2"})


def user_of(name: str) -> int:
    """An account without a name for each container: accounts share limits, and may signal each other."""
    return FIRST_USER + zlib.crc32(name.encode()) % USERS


def _environment(variables: Mapping[str, str]) -> dict[str, str]:
    return {
        "HOME": TMP,
        "TMPDIR": TMP,
        "PYTHONUNBUFFERED": "1",
        **variables,
        "INPUT_DIR": INPUT,
        "OUTPUT_DIR": OUTPUT,
    }
