"""A small system for the engines: a shell script on busybox."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable

from airlock.engine import Limits, Running, RunSpec
from airlock.engine.archive import Archive

LIMITS = Limits(
    memory_bytes=64 * 2**20,
    processes=32,
    output_bytes=2**20,
    output_files=100,
    log_bytes=2**20,
    tmp_bytes=2**20,
    wall_seconds=120,
)
INPUTS: dict[str, bytes] = {"metadata.json": b"[]\n", "texts/grc.txt": "λόγος\n".encode()}
StartScript = Callable[..., Running]
_numbers = itertools.count(1)


def spec_of(image: Archive, script: str, **changes: object) -> RunSpec:
    commands = f'for c in $(busybox --list); do alias $c="busybox $c"; done\n{script}'
    values: dict[str, object] = {
        # Engines of all test processes share the host's cgroups, which are named by the run.
        "run_id": f"test-{os.getpid()}-{next(_numbers)}",
        "image_id": image.image_id,
        "inputs": INPUTS,
        "limits": LIMITS,
        "command": ("/bin/busybox", "sh", "-c", commands, "sh"),
    }
    return RunSpec(**(values | changes))  # type: ignore[arg-type]
