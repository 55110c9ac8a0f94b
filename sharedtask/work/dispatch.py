"""Handing out work: by task name, to the broker, after the transaction has been committed.

The broker is a hint and the database the truth. When the broker cannot be reached the upload stands all
the same: the sweeper finds the row later and hands it out again.
"""

from __future__ import annotations

import json
import logging
from base64 import b64decode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any

from celery import Celery
from django.conf import settings
from django.db import transaction
from kombu.exceptions import OperationalError
from redis import Redis
from redis.exceptions import RedisError

CHECK_RUN = "workers.check_run"
SCORE_FILES = "workers.score_files"
"""Several ids, separated by blanks; the others take one."""
COMPARE_PHASE = "workers.compare_phase"
TEND_GOLD = "workers.tend_gold"
FOLDER_JOB = "workers.folder_job"
LOOK_OVER = "workers.look_over"
LOOK_OVER_PHASE = "workers.look_over_phase"
ANALYSE_GOLD = "workers.analyse_gold"
ANALYSE_RUN = "workers.analyse_run"
PACK_RESULTS = "workers.pack_results"
SWEEP = "workers.sweep"
REMOVE_STRAYS = "workers.remove_strays"
MAIL_EVENT = "workers.mail_event"
MAIL_LETTER = "workers.mail_letter"
MAIL_SWEEP = "workers.mail_sweep"

log = logging.getLogger(__name__)
_withheld: ContextVar[bool] = ContextVar("withheld", default=False)


@contextmanager
def withheld() -> Iterator[None]:
    """No messages meanwhile: for a command that does the work itself, as it finds it in the database."""
    token = _withheld.set(True)
    try:
        yield
    finally:
        _withheld.reset(token)


@cache
def broker() -> Celery:
    """A client that only sends. The site knows tasks by name and imports nothing of the workers."""
    app = Celery("sharedtask", set_as_current=False)
    app.config_from_object("django.conf:settings", namespace="CELERY")
    return app


def hand_out(task: str, id: str) -> None:
    """Send a task once the current transaction is committed; outside a transaction, at once."""
    transaction.on_commit(lambda: send(task, id), robust=True)


def hand_out_later(task: str, id: str, *, seconds: float) -> None:
    """The same for work that should wait for more of its kind; a worker keeps the message meanwhile."""
    transaction.on_commit(lambda: send_later(task, id, seconds), robust=True)


def send_later(task: str, id: str, seconds: float) -> None:
    send_to_broker(task, id, countdown=seconds)


def send(task: str, id: str) -> None:
    send_to_broker(task, id)


def send_to_broker(task: str, id: str, **options: Any) -> None:
    if _withheld.get():
        return
    try:
        # One attempt only: a participant should not wait for a broker that is away.
        broker().send_task(task, args=[id], retry=False, **options)
    except (OperationalError, OSError) as error:
        log.warning("the broker did not take %s %s (%s); the sweeper will", task, id, error)


def messages_in(queue: str) -> int:
    """How many messages wait in a queue; 0 where the broker is away or cannot tell."""
    return ask_broker(lambda redis: redis.llen(queue), 0)


def named_in(queue: str, task: str) -> set[str]:
    """What the messages of a task that wait in a queue name; nothing where the broker is away."""
    messages = ask_broker(lambda redis: redis.lrange(queue, 0, -1), [])
    return {id for message in map(json.loads, messages) if is_of(task, message) for id in ids_of(message)}


def is_of(task: str, message: dict[str, Any]) -> bool:
    return bool(message["headers"]["task"] == task)


def ids_of(message: dict[str, Any]) -> list[str]:
    """The body is Celery's, with the positional arguments first."""
    arguments, *_ = json.loads(b64decode(message["body"]))
    return " ".join(map(str, arguments)).split()


def ask_broker(question: Callable[[Redis], Any], otherwise: Any) -> Any:
    if not settings.CELERY_BROKER_URL.startswith(("redis://", "rediss://")):
        return otherwise
    try:
        with Redis.from_url(settings.CELERY_BROKER_URL, socket_timeout=3, socket_connect_timeout=3) as redis:
            return question(redis)
    except RedisError:
        return otherwise
