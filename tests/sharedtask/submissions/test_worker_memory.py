"""The memory limit of a worker process: a file that needs more is invalid, and other work continues."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as used

import evaluation
from sharedtask.submissions import gold_cache
from sharedtask.submissions.kinds import CheckRun
from sharedtask.submissions.models import Run, RunFile, Score
from sharedtask.work import heartbeat
from sharedtask.work.claim import claim
from tests.conftest import StartProcess
from tests.machinery.site import ROOT
from tests.sharedtask.support.building import good_archive

Upload = Callable[..., Run]
Work = Callable[[], None]

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


@pytest.mark.django_db(transaction=True)
def test_a_file_that_needs_too_much_memory_is_invalid_and_the_others_are_checked(
    upload: Upload, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    validate = evaluation.validate
    asked: list[str] = []

    def eat(source: Any, *, name: str, **more: Any) -> evaluation.Report:
        asked.append(name)
        with pytest.MonkeyPatch.context() as patch:
            if name == "de_one.conllu":
                patch.setattr("evaluation.scoring.validate.examine", out_of_memory)
            return validate(source, name=name, **more)

    monkeypatch.setattr(evaluation, "validate", eat)
    gold_cache.GOLD.put("something", evaluation.read(b"1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n"))
    run = upload(good_archive())
    work()
    run.refresh_from_db()
    files = {file.test_set.code: file for file in RunFile.objects.select_related("test_set")}
    assert files["de_one"].state == RunFile.State.INVALID
    assert files["en_two"].state == RunFile.State.VALID
    assert "needs more memory than allowed" in str(files["de_one"].incidents)
    # It was checked a second time, with an empty cache.
    assert asked == ["de_one.conllu", "de_one.conllu", "en_two.conllu"]
    assert "something" not in gold_cache.GOLD
    assert (run.state, run.failure) == (Run.State.SCORED, {})


def out_of_memory(*arguments: Any, **more: Any) -> Any:
    raise MemoryError


@pytest.mark.django_db(transaction=True)
def test_scoring_without_memory_is_a_server_error_and_is_retried_with_an_empty_cache(
    upload: Upload, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = upload(good_archive())
    monkeypatch.setattr(evaluation, "compare", out_of_memory)
    work()
    run.refresh_from_db()
    scores = list(Score.objects.all())
    assert {score.state for score in scores} == {Score.State.WAITING}
    assert all(score.failure["out_of_memory"] for score in scores)
    assert (run.state, run.failure) == (Run.State.SCORING, {})
    assert not len(gold_cache.GOLD)


@pytest.mark.django_db(transaction=True)
def test_a_heartbeat_goes_on_when_memory_is_short_for_a_moment(
    upload: Upload, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = CheckRun()
    rows = claim(kind, [upload(good_archive()).public_id])
    assert len(rows) == 1
    beats = iter([MemoryError, None])
    beaten = threading.Event()

    def renew(kind: object, row: object) -> None:
        if next(beats, None):
            raise MemoryError
        beaten.set()

    monkeypatch.setattr(heartbeat, "interval_seconds", lambda kind: 0.01)
    monkeypatch.setattr(heartbeat, "renew", renew)
    with heartbeat.keep_leases(kind, rows):
        assert beaten.wait(10)


def test_the_tests_themselves_have_no_limit() -> None:
    assert resource.getrlimit(resource.RLIMIT_DATA)[0] == resource.RLIM_INFINITY
