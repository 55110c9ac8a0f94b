"""A container engine: loads images, starts runs, finds them again and cleans up."""

from __future__ import annotations

import io
import os
from collections.abc import Collection, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, BinaryIO

import docker

from ..images.image import REPOSITORY
from .calls import LOAD_TIMEOUT_SECONDS, Missing, engine_call, open_client
from .cgroup import Cgroup, Slice, path_of_process, path_of_run
from .container import Closure
from .errors import ImageNotAccepted
from .facts import Facts
from .holder import holder_image
from .limits import Limits
from .loop import remove_device
from .parts import CGROUP_LABEL, LIMITS_LABEL, Parts, labelled_runs
from .purpose import claim
from .running import Running
from .spec import RunSpec
from .start import start_run

IMAGES = f"{REPOSITORY}:"
"""The names of all images of teams begin like this; see `airlock.images.image_name`."""


class Engine:
    def __init__(
        self, client: docker.APIClient, facts: Facts, *, ulimit_shim: bool, seccomp_file: Path | None
    ) -> None:
        self.facts = facts
        self.refusal = facts.refusal(ulimit_shim=ulimit_shim)
        """Why nothing can be run here, in words; None if all is well."""
        self._client = client
        self._closure = Closure(
            client=client, facts=facts, ulimit_shim=ulimit_shim, seccomp_file=seccomp_file
        )

    @property
    def description(self) -> str:
        """Name, version and address, in words."""
        return self.facts.description

    def close(self) -> None:
        """Close the connections; runs go on."""
        self._client.close()

    def claim(self, purpose: str) -> None:
        """Use it for this from now on and for nothing else. Raises `OtherPurpose` if it is used otherwise."""
        claim(self._client, purpose, url=self.facts.url)

    def load(self, archive: BinaryIO, image_id: str) -> None:
        """Load an archive of `airlock.images`; does nothing if the image is there. Or `ImageNotAccepted`."""
        if self.has_image(image_id):
            return
        client = open_client(self.facts.url, timeout_seconds=LOAD_TIMEOUT_SECONDS)
        with closing(client), engine_call("load an image"):
            for answer in client.load_image(archive):  # type: ignore[no-untyped-call]
                if "error" in answer:
                    raise ImageNotAccepted(f"The engine could not load the image: {answer['error']}")
        if not self.has_image(image_id):
            raise ImageNotAccepted(f"The archive does not contain the image {image_id}.")

    def has_image(self, image_id: str) -> bool:
        return self._inspect_image(image_id) is not None

    def image_ids(self) -> set[str]:
        return set(self.image_sizes())

    def image_sizes(self) -> dict[str, int]:
        """Bytes of all images of teams that were loaded, by id, so that unused ones can be removed."""
        with engine_call("list images"):
            images = self._client.images()
        own = (image for image in images if any(IMAGES in tag for tag in image.get("RepoTags") or ()))
        return {str(image["Id"]): int(image.get("Size") or 0) for image in own}

    def remove_image(self, image_id: str) -> None:
        """Does nothing if there is no such image. Raises `EngineFailure` if a container uses it."""
        try:
            with engine_call("remove an image"):
                # Without force, with which podman would remove its containers too.
                self._client.remove_image(image_id)
        except Missing:
            return

    def start(self, spec: RunSpec) -> Running:
        """Start a run in a fresh container. Raises `AlreadyStarted`, `SystemFailure`, `EngineFailure`."""
        image = self._inspect_image(spec.image_id)
        if image is None:
            raise ImageNotAccepted(f"The engine does not have the image {spec.image_id}.")
        holder = holder_image()
        self.load(io.BytesIO(holder.content), holder.image_id)
        parts = self._parts(spec.run_id)
        cgroup = self._make_cgroup(spec)
        start_run(spec, parts=parts, closure=self._closure, image=image, cgroup=cgroup)
        return Running(parts, self.facts, spec.limits, cgroup or self._find_cgroup(parts))

    def find(self, run_id: str) -> Running | None:
        """The run with this id, running or ended, whichever process started it.

        What a worker left half-made when it died is removed, and the result is None.
        """
        parts = self._parts(run_id)
        description = parts.inspect(parts.container)
        if description is None or description["State"]["Status"] in ("created", "configured", "initialized"):
            self._remove(run_id)
            return None
        labels = description["Config"]["Labels"]
        cgroup = self._own_cgroup(run_id) if labels.get(CGROUP_LABEL) else self._find_cgroup(parts)
        return Running(parts, self.facts, Limits.from_json(labels[LIMITS_LABEL]), cgroup)

    def run_ids(self) -> set[str]:
        """Of all runs that have anything on this engine."""
        return labelled_runs(self._client)

    def clean(self, *, keep: Collection[str] = ()) -> set[str]:
        """Remove everything of all runs but these. Returns the ids of the removed ones."""
        surplus = self.run_ids() - set(keep)
        for run_id in surplus:
            self._remove(run_id)
        return surplus

    def _remove(self, run_id: str) -> None:
        self._parts(run_id).remove()
        remove_device(run_id)
        if (cgroup := self._own_cgroup(run_id)) is not None:
            cgroup.remove()

    def _parts(self, run_id: str) -> Parts:
        return Parts(run_id=run_id, client=self._client)

    def _inspect_image(self, image_id: str) -> Mapping[str, Any] | None:
        try:
            with engine_call("describe an image"):
                image: Mapping[str, Any] = self._client.inspect_image(image_id)  # type: ignore[no-untyped-call]
        except Missing:
            return None
        return image

    def _make_cgroup(self, spec: RunSpec) -> Cgroup | None:
        cgroup = self._own_cgroup(spec.run_id)
        return cgroup if cgroup and cgroup.create(memory_bytes=spec.limits.memory_bytes) else None

    def _own_cgroup(self, run_id: str) -> Cgroup | None:
        """The parent of the container's cgroup, on engines of this host that take one of ours."""
        facts = self.facts
        if not facts.url.startswith("unix://"):
            return None
        if facts.cgroup_driver == "systemd" and facts.cgroup_version == 2:
            return Slice(run_id, user=os.getuid() if facts.rootless else None)
        if facts.cgroup_driver == "cgroupfs" and not facts.rootless:
            return Cgroup(path_of_run(run_id), version=facts.cgroup_version)
        return None

    def _find_cgroup(self, parts: Parts) -> Cgroup | None:
        description = parts.inspect(parts.container)
        if description is None or self.facts.cgroup_version == 1 or not self.facts.url.startswith("unix://"):
            return None
        path = path_of_process(int(description["State"].get("Pid") or 0))
        return Cgroup(path, version=self.facts.cgroup_version) if path else None
