"""The memory limit of worker processes."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
import time
from pathlib import Path

from django.conf import settings as used

from tests.conftest import StartProcess
from tests.machinery.site import ROOT

UNDER_THE_LIMIT = """
import django; django.setup()
import numpy
from workers import memory_limit
memory_limit.limit_memory()
try:
    numpy.ones(10_000_000_000, dtype=bool)
except MemoryError:
    print("refused")
import vl_convert
print(vl_convert.vegalite_to_svg({"mark": "point", "data": {"values": [{"a": 1}]},
                                  "encoding": {"x": {"field": "a"}}})[:4])
"""


def test_the_limit_stops_excessive_use_and_leaves_room_for_charts() -> None:
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "sharedtask.settings.test"}
    command = [sys.executable, "-c", UNDER_THE_LIMIT]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["refused", "<svg"]


def test_the_limit_leaves_room_for_the_largest_file_and_the_cached_gold() -> None:
    largest = 20 * used.UPLOAD_LIMITS["member_bytes"]
    assert largest + 4 * used.GOLD_MEMORY_BYTES + 250 * 1024 * 1024 <= used.WORKER_MEMORY_BYTES


def test_every_process_of_a_worker_has_the_limit(embedded: dict[str, str], worker: StartProcess) -> None:
    running = worker(embedded | {"WORKER_MEMORY_BYTES": "1234567168"}, "--concurrency=2")
    children = re.compile(rf"^PPid:\s+{running.process.pid}$", re.MULTILINE)
    limits: list[str] = []
    for _ in range(100):
        pools = [
            status.parent
            for status in Path("/proc").glob("[0-9]*/status")
            if children.search(status.read_text(errors="replace"))
        ]
        limits = [
            re.findall(r"Max data size\s+(\d+|unlimited)", (p / "limits").read_text())[0] for p in pools
        ]
        if limits.count("1234567168") == 2:
            break
        time.sleep(0.1)
    assert limits == ["1234567168"] * 2


def test_the_tests_themselves_have_no_limit() -> None:
    assert resource.getrlimit(resource.RLIMIT_DATA)[0] == resource.RLIM_INFINITY
