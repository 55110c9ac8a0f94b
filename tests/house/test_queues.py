"""Messages: each goes into one queue, and a real worker takes it."""

import subprocess
import sys
import time

from redis import Redis

from tests.conftest import StartProcess
from tests.machinery.site import ROOT

SEND = "import sys, django; django.setup(); from workers.app import app; app.send_task(*sys.argv[1:])"
EXPECTED = {
    "workers.check_run": "score",
    "workers.score_files": "score",
    "workers.sweep": "sweep",
    "workers.compare_runs": "compare",
    "workers.analyse_gold": "analyse",
    "workers.pack_results": "analyse",
    "workers.mail_receipt": "mail",
}


def send(name: str, environment: dict[str, str]) -> None:
    subprocess.run([sys.executable, "-c", SEND, name], cwd=ROOT, env=environment, check=True)


def test_each_message_is_put_into_one_queue(embedded: dict[str, str], worker: StartProcess) -> None:
    with Redis.from_url(embedded["REDIS_URL"]) as redis:
        redis.flushdb()
        # A worker binds the queues to their exchange, and only what is bound can get a message too many.
        worker(embedded).stop()
        for name, queue in EXPECTED.items():
            send(name, embedded)
            lengths = {other: redis.llen(other) for other in ("score", "compare", "analyse", "mail", "sweep")}
            assert lengths == {other: int(other == queue) for other in lengths}, name
            redis.delete(queue)


def test_worker_runs_the_sweep(embedded: dict[str, str], worker: StartProcess) -> None:
    running = worker(embedded)
    send("workers.sweep", embedded)
    end = time.monotonic() + 30
    while "Task workers.sweep" not in running.log.read_text():
        assert time.monotonic() < end, running.log.read_text()
        time.sleep(0.1)
    assert "succeeded" in running.log.read_text()
