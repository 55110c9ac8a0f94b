"""Where there is no engine, one sentence says why and how to get one; an unfit one is refused."""

from __future__ import annotations

import socket
from dataclasses import replace
from pathlib import Path

import pytest

from airlock.engine import EngineUnavailable, connect
from airlock.engine.facts import Facts

FACTS = Facts(
    kind="podman",
    version="4.3.1",
    url="unix:///run/podman/podman.sock",
    architecture="amd64",
    cgroup_version=1,
    cgroup_driver="cgroupfs",
    rootless=False,
    limits_memory=True,
    maps_users="never",
    clock_offset=0.0,
)


def test_a_missing_socket_is_named(tmp_path: Path) -> None:
    with pytest.raises(EngineUnavailable) as error:
        connect(f"unix://{tmp_path}/none.sock")
    message = str(error.value)
    assert f"{tmp_path}/none.sock" in message and "apt-get install docker.io" in message
    assert message.endswith(".") and "\n" not in message


def test_the_address_of_the_environment_is_tried_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/chosen.sock")
    with pytest.raises(EngineUnavailable, match=r"chosen\.sock"):
        connect()


def test_a_socket_on_which_nobody_answers_is_no_engine(short_folder: Path) -> None:
    path = short_folder / "silent.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
    with pytest.raises(EngineUnavailable, match="No container engine answers at"):
        connect(f"unix://{path}")


def test_an_address_that_is_none_is_an_error_in_words() -> None:
    with pytest.raises(EngineUnavailable, match="nonsense"):
        connect("nonsense://x")


def test_an_engine_that_cannot_limit_memory_is_refused_unless_the_shim_is_chosen() -> None:
    rootless = replace(FACTS, version="5.5.0", rootless=True, limits_memory=False)
    refusal = rootless.refusal(ulimit_shim=False)
    assert refusal is not None and "cgroup v2" in refusal and "shim" in refusal
    assert rootless.refusal(ulimit_shim=True) is None
    assert FACTS.refusal(ulimit_shim=False) is None


def test_another_architecture_is_refused() -> None:
    refusal = replace(FACTS, architecture="aarch64").refusal(ulimit_shim=True)
    assert refusal is not None and "aarch64" in refusal
