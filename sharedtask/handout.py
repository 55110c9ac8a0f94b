"""Handing out work: by task name, to the broker, after the transaction has been committed.

The broker is a hint and the database the truth. When the broker cannot be reached the upload stands all
the same: the sweeper finds the row later and hands it out again.
"""

from __future__ import annotations

import logging
from functools import cache

from celery import Celery
from django.db import transaction
from kombu.exceptions import OperationalError

CHECK_RUN = "workers.check_run"
SCORE_FILE = "workers.score_file"
SWEEP = "workers.sweep"

log = logging.getLogger(__name__)


@cache
def broker() -> Celery:
    """A client that only sends. The site knows tasks by name and imports nothing of the workers."""
    app = Celery("sharedtask", set_as_current=False)
    app.config_from_object("django.conf:settings", namespace="CELERY")
    return app


def hand_out(task: str, id: str) -> None:
    """Send a task once the current transaction is committed; outside a transaction, at once."""
    transaction.on_commit(lambda: send(task, id), robust=True)


def send(task: str, id: str) -> None:
    try:
        # One attempt only: a participant should not wait for a broker that is away.
        broker().send_task(task, args=[id], retry=False)
    except (OperationalError, OSError) as error:
        log.warning("the broker did not take %s %s (%s); the sweeper will", task, id, error)
