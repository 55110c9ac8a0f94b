"""A Redis of one site alone, and what a test does with it: send a task, wait until the workers are idle."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from celery import Celery
from redis import Redis

from serve import processes, redis
from sharedtask.work.dispatch import Key
from sharedtask.work.targets import Target

QUEUES = ("score", "standings", "analyse", "mail", "sweep")


@dataclass(frozen=True, kw_only=True)
class Broker:
    url: str
    client: Redis
    celery: Celery

    def send(self, target: Target, *keys: Key) -> None:
        """What beat would send, or a countdown that a moved clock keeps from ending."""
        self.celery.send_task(target.task, args=[list(keys)] if keys else [], queue=target.queue)

    def wait_until_idle(self, *, seconds: float = 60) -> None:
        """A message leaves its queue for `unacked`, and that when its task is done."""
        end, quiet = time.monotonic() + seconds, 0
        while quiet < 3:
            quiet = 0 if self.messages() else quiet + 1
            if time.monotonic() > end:
                raise AssertionError(f"the workers do not come to an end: {self.messages()} messages")
            time.sleep(0.03)

    def messages(self) -> int:
        waiting = sum(int(self.client.llen(name)) for name in QUEUES)
        return waiting + int(self.client.hlen("unacked"))


@contextmanager
def running(folder: Path) -> Iterator[Broker]:
    server = redis.configure(folder)
    with (folder / "output").open("w") as output:
        process = processes.start(server.command, output=output)
    celery = Celery("test", set_as_current=False)
    celery.config_from_object("django.conf:settings", namespace="CELERY")
    celery.conf.update(broker_url=server.url)
    try:
        redis.wait_until_ready(server.url)
        with Redis.from_url(server.url) as client:
            yield Broker(url=server.url, client=client, celery=celery)
    finally:
        celery.close()
        processes.stop([process], grace_seconds=5)
