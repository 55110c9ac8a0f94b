"""Messages to the workers: to a target, with typed keys, after the transaction is committed.

The broker is a hint and the database the truth. When the broker cannot be reached, the row is there all the
same: the sweep finds it later and sends another message.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from time import monotonic
from typing import Any

from celery import Celery
from django.conf import settings
from django.db import transaction
from kombu.exceptions import OperationalError
from redis import Redis
from redis.exceptions import NoPermissionError, RedisError

from sharedtask.work.targets import Target

Key = str | int
"""Identifies a row in a message; a message carries a list of them, as JSON."""

PAUSE_SECONDS = 5.0
"""After a failure, the broker is not tried again for this long."""

log = logging.getLogger(__name__)
_messages_disabled: ContextVar[bool] = ContextVar("messages_disabled", default=False)


@contextmanager
def no_messages() -> Iterator[None]:
    """Send nothing meanwhile: for a command that does the work itself, as it finds it in the database.

    A context variable, because everything that such a command calls (importing a folder, accepting a run,
    recording a score) would have to take it as an argument and pass it on to `enqueue`.
    """
    token = _messages_disabled.set(True)
    try:
        yield
    finally:
        _messages_disabled.reset(token)


class Outage:
    """Remembers a failure of the broker, so that a burst of messages does not wait for it each time."""

    def __init__(self) -> None:
        self._until = 0.0

    def lasts(self) -> bool:
        return monotonic() < self._until

    def begin(self) -> None:
        self._until = monotonic() + PAUSE_SECONDS

    def end(self) -> None:
        self._until = 0.0


unreachable = Outage()


@cache
def broker() -> Celery:
    """A client that only sends. The site knows tasks by name and imports nothing from the workers."""
    app = Celery("sharedtask", set_as_current=False)
    app.config_from_object("django.conf:settings", namespace="CELERY")
    return app


def enqueue(target: Target, *keys: Key) -> None:
    """Send a message once the current transaction is committed; outside a transaction, at once."""
    transaction.on_commit(lambda: send(target, keys), robust=True)


def enqueue_later(target: Target, *keys: Key, seconds: float) -> None:
    """The same for work that is better done together with more of its kind; the worker delays the message."""
    transaction.on_commit(lambda: send_later(target, keys, seconds), robust=True)


def send(target: Target, keys: Sequence[Key]) -> None:
    send_to_broker(target, keys)


def send_later(target: Target, keys: Sequence[Key], seconds: float) -> None:
    send_to_broker(target, keys, countdown=seconds)


def send_to_broker(target: Target, keys: Sequence[Key], **options: Any) -> None:
    if _messages_disabled.get() or unreachable.lasts():
        return
    try:
        # One attempt only: participants should not wait for a broker that is down.
        broker().send_task(target.task, args=[list(keys)], queue=target.queue, retry=False, **options)
    except (OperationalError, OSError) as error:
        if isinstance(error.__cause__, NoPermissionError):
            log.info("this account of the broker sends no messages; the sweep will send %s", target)
            return
        unreachable.begin()
        log.warning(
            "the broker did not take %s %s (%s); the sweep will send it and the messages of the next %d s",
            target,
            list(keys),
            error,
            PAUSE_SECONDS,
        )


def messages_in(queue: str) -> int:
    """The number of messages that wait in a queue; 0 where the broker is down or does not know."""
    if not settings.CELERY_BROKER_URL.startswith(("redis://", "rediss://")):
        return 0
    try:
        with Redis.from_url(settings.CELERY_BROKER_URL, socket_timeout=3, socket_connect_timeout=3) as redis:
            waiting = int(redis.llen(queue))
    except RedisError:
        return 0
    # It responds again; the sweep, which calls this, marks rows as dispatched and must not skip them.
    unreachable.end()
    return waiting
