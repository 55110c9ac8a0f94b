"""What engines answer about themselves and what follows: cgroup v1 and v2, rootless, user namespaces.

The first two answers are those of the engines of the tests, reduced to what is read. The others are variants
of them for hosts that the tests do not have.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import docker
import pytest

from airlock.engine import facts
from airlock.engine.container import Closure
from airlock.engine.facts import Facts, read_facts
from airlock.engine.limits import MEBIBYTE, Limits
from airlock.engine.parts import Parts
from airlock.engine.spec import RunSpec

URL = "unix:///run/engine.sock"
DOCKER = {
    "ServerVersion": "20.10.24+dfsg1",
    "Architecture": "x86_64",
    "CgroupVersion": "1",
    "CgroupDriver": "cgroupfs",
    "MemoryLimit": True,
    "SecurityOptions": ["name=seccomp,profile=default"],
    "SystemTime": "2026-11-18T07:31:20.530502596Z",
}
PODMAN = DOCKER | {
    "ServerVersion": "4.3.1",
    "Architecture": "amd64",
    "BuildahVersion": "1.28.2",
    "Rootless": False,
}
UNIFIED = {"CgroupVersion": "2", "CgroupDriver": "systemd"}
ROOTLESS = {"Rootless": True, "SecurityOptions": ["name=seccomp,profile=default", "name=rootless"]}
REMAPPED = {"SecurityOptions": ["name=seccomp,profile=default", "name=userns"]}


def client_that_answers(info: dict[str, Any]) -> docker.APIClient:
    class Answering(docker.APIClient):
        def __init__(self) -> None:
            """Without a connection."""

        def info(self) -> dict[str, Any]:
            return info

    return Answering()


def read(info: dict[str, Any], url: str = URL) -> Facts:
    return read_facts(client_that_answers(info), url)


@pytest.fixture
def subordinate_ids(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "subuid"
    monkeypatch.setattr(facts, "SUBORDINATE_IDS", file)
    return file


@pytest.mark.parametrize(
    ("info", "description", "refused"),
    [
        (DOCKER, "docker 20.10.24+dfsg1 (cgroup v1) at", False),
        (DOCKER | UNIFIED, "docker 20.10.24+dfsg1 (cgroup v2) at", False),
        (PODMAN, "podman 4.3.1 (cgroup v1) at", False),
        (PODMAN | UNIFIED | ROOTLESS, "podman 4.3.1 (rootless, cgroup v2) at", False),
        (PODMAN | UNIFIED | ROOTLESS | {"MemoryLimit": False}, "podman 4.3.1 (rootless, cgroup v2) at", True),
        (PODMAN | ROOTLESS, "podman 4.3.1 (rootless, cgroup v1) at", True),
        (DOCKER | ROOTLESS, "docker 20.10.24+dfsg1 (rootless, cgroup v1) at", True),
    ],
)
def test_an_engine_is_refused_exactly_where_memory_limits_do_not_hold(
    info: dict[str, Any], description: str, refused: bool
) -> None:
    engine = read(info)
    assert engine.description == f"{description} {URL}"
    refusal = engine.refusal(ulimit_shim=False)
    assert (refusal is not None) is refused
    with_shim = engine.refusal(ulimit_shim=True)
    assert with_shim is None or "podman 4.3.1 ignores limits of processes" in with_shim
    assert refusal is None or ("rootless engines need cgroup v2" in refusal and "the shim" in refusal)


@pytest.mark.parametrize(("version", "refused"), [("4.3.1", True), ("5.4.2", True), ("5.5.0", False)])
def test_the_shim_is_refused_where_podman_ignores_it(version: str, refused: bool) -> None:
    engine = read(PODMAN | ROOTLESS | {"ServerVersion": version})
    assert (engine.refusal(ulimit_shim=True) is not None) is refused
    assert read(PODMAN | ROOTLESS | UNIFIED | {"ServerVersion": version}).refusal(ulimit_shim=True) is None


def test_users_are_mapped_by_the_engine_or_for_each_run_or_never(subordinate_ids: Path) -> None:
    assert read(DOCKER).maps_users == "never"
    assert read(DOCKER | REMAPPED).maps_users == "always"
    assert read(PODMAN | ROOTLESS).maps_users == "always"
    assert read(PODMAN).maps_users == "never", "without a file of ids"
    subordinate_ids.write_text("somebody:100000:65536\n")
    assert read(PODMAN).maps_users == "never"
    subordinate_ids.write_text("somebody:100000:65536\ncontainers:2147483647:2147483648\n")
    assert read(PODMAN).maps_users == "per run"
    assert read(DOCKER).maps_users == "never", "only podman has ids for each container"
    assert read(PODMAN, "tcp://elsewhere:2375").maps_users == "never", "the ids are those of this host"


def host_config(info: dict[str, Any], *, shim: bool = False, holder: bool = False) -> dict[str, Any]:
    client = client_that_answers(info)
    client._version = "1.41"
    closure = Closure(client=client, facts=read(info), ulimit_shim=shim, seccomp_file=None)
    limits = Limits(memory_bytes=64 * MEBIBYTE)
    spec = RunSpec(run_id="run", image_id="sha256:0", inputs={}, limits=limits)
    parts = Parts(run_id="run", client=client)
    arguments = closure.holder(parts) if holder else closure.run(spec, parts, ["/bin/parse"], None)
    return cast(dict[str, Any], arguments["host_config"])


def test_a_run_of_podman_has_a_user_namespace_of_its_own_and_its_holder_has_not(
    subordinate_ids: Path,
) -> None:
    subordinate_ids.write_text("containers:2147483647:2147483648\n")
    run = host_config(PODMAN)
    assert run["UsernsMode"] == "auto:size=65536"
    assert "airlock-input-run:/input:ro,nosuid,nodev,noexec,nocopy" in run["Binds"]
    assert "UsernsMode" not in host_config(PODMAN, holder=True)
    assert "UsernsMode" not in host_config(DOCKER)


def test_without_a_limit_of_memory_the_shim_limits_each_process() -> None:
    """The engine would refuse a limit that it cannot set."""
    shimmed = host_config(PODMAN | ROOTLESS, shim=True)
    assert "Memory" not in shimmed and "MemorySwap" not in shimmed
    limits = {limit["Name"]: limit["Hard"] for limit in shimmed["Ulimits"]}
    assert limits["data"] == 256 * MEBIBYTE, "which the engine's own programs need"
    unified = host_config(PODMAN | UNIFIED | ROOTLESS)
    assert unified["Memory"] == unified["MemorySwap"] == 64 * MEBIBYTE
    assert "data" not in {limit["Name"] for limit in unified["Ulimits"]}


@pytest.mark.parametrize("engine", [DOCKER, PODMAN])
def test_the_holder_of_a_rootless_engine_shares_no_limit_of_processes_with_the_engine(
    engine: dict[str, Any],
) -> None:
    """There each look into the volumes starts as the account of the engine, whose processes all count."""

    def limited(info: dict[str, Any], *, holder: bool) -> set[str]:
        return {limit["Name"] for limit in host_config(info, shim=True, holder=holder)["Ulimits"]}

    assert "nproc" not in limited(engine | ROOTLESS, holder=True)
    assert "nproc" in limited(engine | ROOTLESS, holder=False)
    assert "nproc" in limited(engine, holder=True)
