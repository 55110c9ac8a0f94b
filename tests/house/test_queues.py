"""Messages: each goes into one queue, and a real worker takes it."""

import subprocess
import sys
import time

from redis import Redis

from sharedtask.work import targets
from tests.conftest import StartProcess
from tests.machinery.site import ROOT

SEND = """
import sys, django
django.setup()
from sharedtask.work import dispatch
dispatch.broker().send_task(*sys.argv[1:2], queue=sys.argv[2])
"""
EXPECTED = {
    targets.CHECK_RUN: "score",
    targets.SCORE_FILES: "score",
    targets.SWEEP: "sweep",
    targets.COMPUTE_STANDINGS: "standings",
    targets.ANALYSE_GOLD: "analyse",
    targets.ANALYSE_SERIES: "analyse",
    targets.PACK_RESULTS: "analyse",
    targets.MAIL_NOTICES: "mail",
}


def send(target: targets.Target, environment: dict[str, str]) -> None:
    command = [sys.executable, "-c", SEND, target.task, target.queue]
    subprocess.run(command, cwd=ROOT, env=environment, check=True)


def test_each_message_is_put_into_one_queue(embedded: dict[str, str], worker: StartProcess) -> None:
    with Redis.from_url(embedded["REDIS_URL"]) as redis:
        redis.flushdb()
        # A worker binds the queues to their exchange, and only what is bound can get a message too many.
        worker(embedded).stop()
        for target, queue in EXPECTED.items():
            send(target, embedded)
            lengths = {
                other: redis.llen(other) for other in ("score", "standings", "analyse", "mail", "sweep")
            }
            assert lengths == {other: int(other == queue) for other in lengths}, target
            redis.delete(queue)


def test_worker_runs_the_sweep(embedded: dict[str, str], worker: StartProcess) -> None:
    running = worker(embedded)
    send(targets.SWEEP, embedded)
    end = time.monotonic() + 30
    while "Task workers.sweep" not in running.log.read_text():
        assert time.monotonic() < end, running.log.read_text()
        time.sleep(0.1)
    assert "succeeded" in running.log.read_text()
