"""Find an engine that answers."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

from .calls import engine_call, open_client
from .engine import Engine
from .errors import AirlockError, EngineUnavailable
from .facts import Facts, read_facts

CONNECT_SECONDS = 5
HINT = "install Docker or podman (Debian: apt-get install docker.io), or set DOCKER_HOST"


def connect(url: str | None = None, *, ulimit_shim: bool = False, seccomp_file: Path | None = None) -> Engine:
    """The engine at this address; by default that of DOCKER_HOST, else podman's or docker's socket.

    Raises `EngineUnavailable`. Where the engine cannot limit memory (rootless podman with cgroup v1), the
    preflight refuses it unless `ulimit_shim` is chosen: then every process has a limit of its own. podman
    reads the seccomp profile from a file on its own host: name it if that is another host than this one.
    """
    errors: list[str] = []
    for address in [url] if url else list(_addresses()):
        try:
            facts = _ask(address)
        except EngineUnavailable as error:
            errors.append(str(error))
        else:
            return Engine(open_client(address), facts, ulimit_shim=ulimit_shim, seccomp_file=seccomp_file)
    raise EngineUnavailable(errors[0] if errors else f"No container engine was found: {HINT}.")


def _addresses() -> Iterator[str]:
    given = os.environ.get("DOCKER_HOST")
    if given:
        yield given
        return
    runtime = Path(os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}")
    for path in (
        runtime / "podman/podman.sock",
        Path("/run/podman/podman.sock"),
        runtime / "docker.sock",
        Path("/var/run/docker.sock"),
    ):
        if os.access(path, os.R_OK | os.W_OK):
            yield f"unix://{path}"


def _ask(url: str) -> Facts:
    try:
        _knock(url)
        with (
            engine_call("answer"),
            closing(open_client(url, timeout_seconds=CONNECT_SECONDS)) as client,
        ):
            client.ping()
            return read_facts(client, url)
    except (AirlockError, OSError) as error:
        cause = error.__cause__ or error
        raise EngineUnavailable(
            f"No container engine answers at {url} ({cause}): start it, or {HINT}."
        ) from error


def _knock(url: str) -> None:
    """The client does not close a socket on which nobody listens."""
    if url.startswith("unix://"):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(CONNECT_SECONDS)
            connection.connect(urlsplit(url).path)
