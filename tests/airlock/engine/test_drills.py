"""Workers and engines that end in the middle of a run."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from airlock.engine import Engine, EngineUnavailable, RunLost, connect
from airlock.engine.archive import Archive
from airlock.engine.parts import Parts
from tests.airlock.engine.systems import spec_of
from tests.machinery import engines
from tests.machinery.site import ROOT

WORKER = """
import sys
from airlock.engine import connect
from tests.airlock.engine.systems import spec_of
from airlock.engine.archive import Archive
image = Archive(content=b"", image_id=sys.argv[2], name="")
running = connect(sys.argv[1]).start(spec_of(image, sys.argv[4], run_id=sys.argv[3]))
print("started", flush=True)
running.finish()
"""


@pytest.fixture(params=["docker", "podman"])
def daemon(request: pytest.FixtureRequest, short_folder: Path) -> Iterator[engines.Daemon]:
    """An engine of its own, because others must not be stopped."""
    make = engines.dockerd if request.param == "docker" else engines.podman
    with make(short_folder / f"drill-{request.param}") as made:
        yield made
    engines.collect_lost_sockets()


def start_and_kill_worker(url: str, image: Archive, run_id: str, script: str) -> None:
    command = [sys.executable, "-c", WORKER, url, image.image_id, run_id, script]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdout is not None and worker.stdout.readline() == "started\n"
        os.kill(worker.pid, signal.SIGKILL)


def load(engine: Engine, image: Archive) -> None:
    engine.load(io.BytesIO(image.content), image.image_id)


@pytest.mark.slow
# The client library does not close the sockets on which an engine no longer listens.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_drills_of_an_engine(daemon: engines.Daemon, busybox: Archive) -> None:
    """One engine for all drills, which take longer to set up than to run."""
    engine = daemon.start()
    load(engine, busybox)
    another_worker_finishes_the_run_of_a_killed_one(engine, busybox)
    what_a_killed_worker_left_half_made_is_removed(engine, busybox)
    memory_is_named_although_another_worker_started_the_run(engine, busybox)
    engine = a_run_survives_the_engine_or_is_lost_in_words(daemon, engine, busybox)
    an_engine_that_is_gone_is_reported_in_one_sentence(daemon, engine, busybox)


def another_worker_finishes_the_run_of_a_killed_one(engine: Engine, image: Archive) -> None:
    start_and_kill_worker(
        engine.facts.url, image, "killed", "sleep 1.5; echo done > /output/result; echo end"
    )
    running = engine.find("killed")
    assert running is not None
    outcome = running.finish()
    assert (outcome.exit_code, outcome.log_tail) == (0, b"end\n")
    assert outcome.usage.wall_seconds >= 1 and outcome.usage.cpu_seconds is not None
    assert [(output.name, output.stream.read()) for output in running.outputs()] == [("result", b"done\n")]
    running.remove()
    assert engine.run_ids() == set() and engine.find("killed") is None


def what_a_killed_worker_left_half_made_is_removed(engine: Engine, image: Archive) -> None:
    """The container is made last: without it there are volumes and perhaps their holder."""
    running = engine.start(spec_of(image, "sleep 600", run_id="half"))
    parts: Parts = running._parts
    parts.client.remove_container(parts.container, force=True)
    assert engine.run_ids() == {"half"}
    assert engine.find("half") is None
    assert engine.run_ids() == set()
    running.remove()


def memory_is_named_although_another_worker_started_the_run(engine: Engine, image: Archive) -> None:
    script = "sleep 1; exec awk 'BEGIN { s = \"x\"; while (1) s = s s }'"
    start_and_kill_worker(engine.facts.url, image, "memory", script)
    running = engine.find("memory")
    assert running is not None
    outcome = running.finish()
    running.remove()
    assert outcome.limit is not None and outcome.limit.name == "memory"


def a_run_survives_the_engine_or_is_lost_in_words(
    daemon: engines.Daemon, engine: Engine, image: Archive
) -> Engine:
    """Containers of dockerd end with it; those of podman do not know their service."""
    engine.start(spec_of(image, "sleep 4; echo done > /output/result", run_id="restarted"))
    daemon.stop()
    engine = daemon.start()
    running = engine.find("restarted")
    assert running is not None
    if engine.facts.kind == "docker":
        with pytest.raises(RunLost, match="engine was restarted"):
            running.finish()
        with pytest.raises(RunLost):
            list(running.outputs())
    else:
        assert running.finish().exit_code == 0
        assert [output.name for output in running.outputs()] == ["result"]
    running.remove()
    assert engine.run_ids() == set()
    return engine


def an_engine_that_is_gone_is_reported_in_one_sentence(
    daemon: engines.Daemon, engine: Engine, image: Archive
) -> None:
    running = engine.start(spec_of(image, "sleep 600", run_id="gone"))
    daemon.stop()
    begin = time.monotonic()
    for action in (running.observe, running.stop, running.finish, engine.run_ids):
        with pytest.raises(EngineUnavailable, match="engine"):
            action()
    with pytest.raises(EngineUnavailable, match="No container engine answers"):
        connect(daemon.url)
    assert time.monotonic() - begin < 60
    engine = daemon.start()
    assert engine.clean() == {"gone"}
    assert engine.run_ids() == set()
