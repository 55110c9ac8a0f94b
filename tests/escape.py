"""`make escape`: the escape suite with large limits, on dockerd and podman; about five minutes, as root."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from airlock.engine import Engine, preflight
from airlock.engine.attempts import FULL
from tests.machinery import engines


@contextmanager
def started_engines() -> Iterator[list[Engine]]:
    with tempfile.TemporaryDirectory(prefix="arboretum-", dir="/tmp") as folder:
        path = Path(folder)
        with engines.dockerd(path / "docker") as docker, engines.podman(path / "podman") as podman:
            yield [docker.start(), podman.start()]


def main() -> int:
    escaped = 0
    with started_engines() as started:
        for engine in started:
            begin = time.monotonic()
            for row in preflight(engine, FULL, thorough=True):
                escaped += not row.contained
                verdict = "contained" if row.contained else "ESCAPED"
                print(f"{verdict:9}  {row.attempt:42}  {row.finding}", flush=True)
            print(f"           {time.monotonic() - begin:.0f} s; runs left over: {len(engine.run_ids())}\n")
    return 1 if escaped else 0


if __name__ == "__main__":
    sys.exit(main())
