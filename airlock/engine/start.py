"""Start a run: volumes, holder, inputs, container, in this order; nothing is left over if a step fails."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from .calls import engine_call
from .cgroup import Cgroup
from .container import Closure
from .errors import AirlockError, AlreadyStarted, EngineFailure, ImageNotAccepted, SystemFailure
from .holder import CLOSED, INPUT, OUTPUT, volume_options
from .inputs import folders_of, input_size, pack
from .loop import output_device
from .parts import Parts
from .spec import RunSpec

NOT_STARTED = (
    "executable file",
    "caused: exec",
    'exec: "',
    "exec format error",
    "exec user process",
    "OCI runtime attempted to invoke a command that was not found",
)
"""Parts of the messages of engines about commands that the kernel does not start."""


def start_run(
    spec: RunSpec, *, parts: Parts, closure: Closure, image: Mapping[str, Any], cgroup: Cgroup | None
) -> None:
    argv = command_of(image, spec) + [INPUT, OUTPUT]
    arguments = closure.run(spec, parts, argv, cgroup.parent if cgroup else None)
    if parts.inspect(parts.container) is not None or parts.inspect(parts.holder) is not None:
        raise AlreadyStarted(f"Run {spec.run_id} already has containers.")
    try:
        with output_device(spec.run_id, spec.limits, closure.facts) as device:
            _make_volumes(spec, parts, device)
            _start_holder(spec, parts, closure)
        with engine_call("create the container of a run"):
            parts.client.create_container(**arguments)
        _verify(parts)
        _start(parts.container, parts, argv)
    except AlreadyStarted:
        raise
    except (AirlockError, OSError):
        parts.remove()
        if cgroup is not None:
            cgroup.remove()
        raise


def command_of(image: Mapping[str, Any], spec: RunSpec) -> list[str]:
    config = image.get("Config") or {}
    for key in ("Volumes", "Healthcheck", "OnBuild"):
        if config.get(key):
            raise ImageNotAccepted(f"The image {spec.image_id} was not rewritten: it has {key}.")
    command = list(spec.command) or [*(config.get("Entrypoint") or ()), *(config.get("Cmd") or ())]
    if not command:
        raise ImageNotAccepted(f"The image {spec.image_id} has neither an entry point nor a command.")
    return command


def _make_volumes(spec: RunSpec, parts: Parts, device: str | None) -> None:
    """In memory, and the output on this device if there is one."""
    files = len(spec.inputs) + len(folders_of(spec.inputs))
    options = volume_options(spec.limits, input_bytes=input_size(spec.inputs), input_files=files)
    drivers = {folder: {"type": "tmpfs", "device": "tmpfs", "o": options[folder]} for folder in parts.volumes}
    if device is not None:
        drivers[OUTPUT] = {"type": "ext4", "device": device, "o": CLOSED}
    with engine_call("create the volumes of a run"):
        for folder, name in parts.volumes.items():
            parts.client.create_volume(name, driver="local", driver_opts=drivers[folder], labels=parts.labels)


def _start_holder(spec: RunSpec, parts: Parts, closure: Closure) -> None:
    with engine_call("start the holder of a run's volumes"):
        try:
            parts.client.create_container(**closure.holder(parts))
        except Exception as error:
            if "already in use" in str(error) or "is in use" in str(error):
                raise AlreadyStarted(f"Run {spec.run_id} already has containers.") from error
            raise
        parts.client.start(parts.holder)
    with engine_call("copy the inputs"):
        content = cast(bytes, pack(spec.inputs))
        if not parts.client.put_archive(parts.holder, INPUT, content):
            raise EngineFailure("The engine could not copy the inputs.")


def _verify(parts: Parts) -> None:
    """Engines ignore what they do not know, and add what an image asks for: look before it runs."""
    container = parts.inspect(parts.container) or {}
    host, config = container.get("HostConfig", {}), container.get("Config", {})
    mounted = {mount["Destination"] for mount in container.get("Mounts", ()) if mount["Type"] != "tmpfs"}
    check = (config.get("Healthcheck") or {}).get("Test") or ["NONE"]
    if mounted != set(parts.volumes) or check != ["NONE"]:
        raise ImageNotAccepted("The image was not rewritten: it declares volumes or a health check.")
    if not host.get("ReadonlyRootfs") or host.get("NetworkMode") != "none" or host.get("Privileged"):
        raise EngineFailure("The engine did not close the container of a run.")


def _start(name: str, parts: Parts, argv: list[str]) -> None:
    try:
        with engine_call("start the container of a run"):
            parts.client.start(name)
    except EngineFailure as error:
        if any(words in str(error) for words in NOT_STARTED):
            raise SystemFailure(f"The command {argv[0]} of the image cannot be started: {error}") from error
        raise
