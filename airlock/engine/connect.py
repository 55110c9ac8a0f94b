"""Find an engine that answers."""

from __future__ import annotations

from .engine import Engine


def connect(url: str | None = None, *, ulimit_shim: bool = False) -> Engine:
    """The engine at this address; by default that of DOCKER_HOST, else podman's or docker's socket.

    Raises `EngineUnavailable`. Where the engine cannot limit memory (rootless podman with cgroup v1), the
    preflight refuses it unless `ulimit_shim` is chosen: then every process has a limit of its own.
    """
    raise NotImplementedError
