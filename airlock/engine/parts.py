"""Everything that a run has on an engine: two containers and three volumes, found by name and label."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import docker
from docker.errors import APIError, NotFound

from .calls import Missing, engine_call
from .errors import EngineFailure
from .holder import INPUT, OUTPUT, TMP

LABEL = "org.arboretum.airlock.run"
LIMITS_LABEL = "org.arboretum.airlock.limits"
CGROUP_LABEL = "org.arboretum.airlock.cgroup"
REMOVAL_ATTEMPTS = 20


@dataclass(frozen=True, kw_only=True)
class Parts:
    run_id: str
    client: docker.APIClient

    @property
    def container(self) -> str:
        return f"airlock-run-{self.run_id}"

    @property
    def holder(self) -> str:
        return f"airlock-holder-{self.run_id}"

    @property
    def volumes(self) -> Mapping[str, str]:
        """Names by directory."""
        return {folder: f"airlock{folder.replace('/', '-')}-{self.run_id}" for folder in (INPUT, OUTPUT, TMP)}

    @property
    def labels(self) -> dict[str, str]:
        return {LABEL: self.run_id}

    def inspect(self, name: str) -> Mapping[str, Any] | None:
        try:
            with engine_call("describe a container"):
                description: Mapping[str, Any] = self.client.inspect_container(name)
        except Missing:
            return None
        return description

    def kill(self, name: str) -> None:
        try:
            with engine_call("kill a container"):
                self.client.kill(name)
        except EngineFailure:
            # It may have ended by itself in the meantime.
            description = self.inspect(name)
            if description is not None and description["State"]["Running"]:
                raise

    def remove(self) -> None:
        """Does nothing for what is not there."""
        with engine_call("remove the containers and volumes of a run"):
            for name in (self.container, self.holder):
                self._repeat(lambda name=name: self.client.remove_container(name, force=True, v=True))
            for name in self.volumes.values():
                self._repeat(lambda name=name: self.client.remove_volume(name))

    def _repeat(self, removal: Any) -> None:
        """An engine may still be busy with removing, and then refuses to begin again."""
        for attempt in range(REMOVAL_ATTEMPTS):
            try:
                removal()
                return
            except NotFound:
                return
            except APIError:
                if attempt == REMOVAL_ATTEMPTS - 1:
                    raise
                time.sleep(0.1)


def labelled_runs(client: docker.APIClient) -> set[str]:
    """Ids of all runs that have a container or a volume."""
    filters: dict[str, str | list[str]] = {"label": LABEL}
    with engine_call("list containers and volumes"):
        containers = client.containers(all=True, filters=filters)
        volumes = client.volumes(filters=filters).get("Volumes") or []
    return {str(item["Labels"][LABEL]) for item in [*containers, *volumes]}
