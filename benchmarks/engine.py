"""Measure what the airlock adds to a container: a trivial run against the bare calls of the engine.

Run with `make bench` as root. The bare calls create, start, wait for and remove a container of the same image
without any option. The airlock's run has a second container and three volumes besides, reads the output and
removes everything. The aim is at most one second more.
"""

from __future__ import annotations

import io
import statistics
import time
from collections.abc import Callable
from contextlib import closing

from docker.types import Ulimit

from airlock.engine import Engine, RunSpec
from airlock.engine.archive import build_archive
from airlock.engine.calls import open_client
from airlock.engine.excesses import control
from tests.escape import started_engines

REPEATS = 10
AIM_SECONDS = 1.0
IMAGE = build_archive({"control": control()}, name="localhost/arboretum/benchmark", command=["/control"])


def run_bare(engine: Engine) -> None:
    with closing(open_client(engine.facts.url)) as client:
        # podman's own limits are higher than a container in a container may set.
        limits = [Ulimit(name=name, soft=1024, hard=1024) for name in ("nofile", "nproc")]
        host_config = client.create_host_config(network_mode="none", ulimits=limits)
        container = client.create_container(IMAGE.image_id, host_config=host_config)["Id"]
        client.start(container)
        client.wait(container)
        client.remove_container(container, force=True)


def run_in_airlock(engine: Engine) -> None:
    spec = RunSpec(run_id="benchmark", image_id=IMAGE.image_id, inputs={"input.txt": b"text\n"})
    running = engine.start(spec)
    outcome = running.finish()
    assert outcome.exit_code == 0, outcome
    assert [output.name for output in running.outputs()] == ["mark"]
    running.remove()


def measure(action: Callable[[Engine], None], engine: Engine) -> float:
    action(engine)
    seconds = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        action(engine)
        seconds.append(time.perf_counter() - begin)
    return statistics.median(seconds)


def main() -> None:
    with started_engines() as engines:
        for engine in engines:
            engine.load(io.BytesIO(IMAGE.content), IMAGE.image_id)
            bare, closed = measure(run_bare, engine), measure(run_in_airlock, engine)
            print(
                f"{engine.facts.kind:7} bare {bare:.2f} s, airlock {closed:.2f} s, "
                f"overhead {closed - bare:.2f} s (aim: at most {AIM_SECONDS:.1f} s)"
            )


if __name__ == "__main__":
    main()
