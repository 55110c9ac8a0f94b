"""The escape suite in its small form, on both engines. `make escape` runs the full form."""

from __future__ import annotations

import importlib
import io
from collections.abc import Callable
from typing import Any

import pytest

from airlock.engine import Engine, Outcome, Usage, preflight
from airlock.engine.applied_limits import wrong_cgroup_limits
from airlock.engine.attempts import EXCESSES, REFUSED, SMALL
from airlock.engine.cgroup import SLACK_BYTES
from airlock.engine.container import Closure

suite = importlib.import_module("airlock.engine.preflight")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["docker", "podman"])
def test_nothing_escapes(kind: str, request: pytest.FixtureRequest) -> None:
    engine: Engine = request.getfixturevalue(f"{kind}_engine")
    # Other tests may have left images on the engine that they share.
    images = engine.image_ids()
    rows = list(preflight(engine))
    assert [f"{row.attempt}: {row.finding}" for row in rows if not row.contained] == []
    attempts = [row.attempt for row in rows]
    assert attempts[0] == "engine" and engine.facts.kind == kind
    assert set(REFUSED) | {excess.name for excess in EXCESSES} < set(attempts)
    assert {"limits of each process", "limits of all processes"} < set(attempts)
    assert engine.run_ids() == set()
    assert engine.image_ids() == images


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """``without(**changes)``: containers get these settings instead of those that close them."""
    closed = Closure._host_config

    def change(**changes: Any) -> None:
        def open_up(*arguments: Any, **keywords: Any) -> dict[str, Any]:
            return closed(*arguments, **keywords) | changes

        monkeypatch.setattr(Closure, "_host_config", open_up)

    return change


@pytest.fixture
def probed(docker_engine: Engine, podman_engine: Engine) -> dict[str, Engine]:
    probes = suite.probe_image()
    engines = {"docker": docker_engine, "podman": podman_engine}
    for engine in engines.values():
        engine.load(io.BytesIO(probes.content), probes.image_id)
    return engines


@pytest.mark.parametrize("kind", ["docker", "podman"])
@pytest.mark.parametrize(
    ("changes", "finding"),
    [
        ({"NanoCpus": 0}, "processors unlimited"),
        ({"NanoCpus": 1_500_000_000}, "processors 150000 of 100000"),
        ({"PidsLimit": 0}, "processes"),
        ({"Memory": 2 * SMALL.memory_bytes, "MemorySwap": 2 * SMALL.memory_bytes}, "memory 100663296"),
    ],
)
def test_an_engine_that_sets_no_limit_is_found_out(
    kind: str, changes: dict[str, Any], finding: str, probed: dict[str, Engine], without: Callable[..., None]
) -> None:
    """However busy the host is: the kernel says which limits it has."""
    assert all(row.contained for row in suite._try_limits(probed[kind], SMALL))
    without(**changes)
    (row,) = [row for row in suite._try_limits(probed[kind], SMALL) if not row.contained]
    assert row.attempt == "limits of all processes"
    assert finding in row.finding


@pytest.mark.parametrize(
    ("file", "wrong"),
    [
        ("cpu.max max 100000", "processors unlimited"),
        ("cpu.max 200000 100000", "processors 200000 of 100000"),
        ("memory.max max", "memory unlimited"),
        (f"memory.max {SMALL.memory_bytes + SLACK_BYTES + 4096}", f"memory {SMALL.memory_bytes + 1052672}"),
        ("pids.max 33", "processes 33"),
        ("pids.max", "processes unlimited"),
    ],
)
def test_limits_of_cgroup_v2_are_read_as_well(file: str, wrong: str) -> None:
    files = {"cpu.max": "100000 100000", "memory.max": str(SMALL.memory_bytes), "pids.max": "32"}
    assert wrong_cgroup_limits("".join(f"{name} {value}\n" for name, value in files.items()), SMALL) == []
    name, _, value = file.partition(" ")
    printed = "".join(f"{name} {value}\n" for name, value in (files | {name: value}).items())
    assert wrong_cgroup_limits(printed, SMALL) == [wrong]


USED = {
    "wall_seconds": 3.0, "cpu_seconds": 3.0, "peak_memory_bytes": SMALL.memory_bytes,
    "output_bytes": SMALL.output_bytes, "output_files": SMALL.output_files, "log_bytes": 0,
}  # fmt: skip


@pytest.mark.parametrize(
    "more",
    [
        {"cpu_seconds": 3.6},
        {"wall_seconds": 0.4, "cpu_seconds": 1.0},
        {"peak_memory_bytes": SMALL.memory_bytes + 1},
        {"output_bytes": SMALL.output_bytes + 1},
        {"output_files": SMALL.output_files + 1},
    ],
)
def test_whoever_used_more_than_a_limit_was_not_contained(more: dict[str, float]) -> None:
    nothing = Usage(**{**dict.fromkeys(USED, 0), "wall_seconds": 0.0})  # type: ignore[arg-type]

    def is_bounded(used: dict[str, Any]) -> bool:
        outcome = Outcome(
            exit_code=1, signal=None, limit=None, stopped=False, error_of="system", sentence="",
            usage=Usage(**used), log_tail=b"",
        )  # fmt: skip
        bounded: bool = suite._is_bounded(outcome, SMALL, nothing, output_bytes=SMALL.output_bytes)
        return bounded

    assert is_bounded(USED)
    assert not is_bounded(USED | more)
