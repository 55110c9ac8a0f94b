"""Fixtures of the engine tests: an image with busybox, and runs that are removed after the test."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest

from airlock.engine import Engine, Running
from airlock.engine.archive import Archive, build_archive
from tests.airlock.engine.systems import StartScript, spec_of
from tests.machinery.engines import find_busybox


@pytest.fixture(scope="session")
def busybox() -> Archive:
    files = {"bin/busybox": find_busybox().read_bytes()}
    environment = {"Env": ["PATH=/bin"]}
    return build_archive(
        files, name="localhost/arboretum/image", command=["/bin/busybox"], config=environment
    )


@pytest.fixture
def start(busybox: Archive) -> Iterator[StartScript]:
    """``start(engine, script, **changes)`` starts a run, which is removed when the test ends."""
    started: list[Running] = []

    def start_script(engine: Engine, script: str, **changes: object) -> Running:
        engine.load(io.BytesIO(busybox.content), busybox.image_id)
        running = engine.start(spec_of(busybox, script, **changes))
        started.append(running)
        return running

    yield start_script
    for running in started:
        running.remove()
