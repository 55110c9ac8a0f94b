"""The Celery application of the airlock: ``celery -A workers.airlock worker``.

Its workers have a container engine, whose socket makes them root on their host. So they take messages from a
queue of their own and nothing else, and must not have the key to gold.
"""

import os

from celery import Celery
from celery.signals import worker_init
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from airlock.engine import EngineUnavailable, connect

if not os.environ.get("DJANGO_SETTINGS_MODULE"):
    raise ImproperlyConfigured("Set DJANGO_SETTINGS_MODULE, for example to sharedtask.settings.production.")

QUEUE = "airlock"
app = Celery("airlock", include=["workers.airlock_tasks"])
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.task_queues = [queue for queue in settings.CELERY_TASK_QUEUES if queue.name == QUEUE]
app.conf.task_default_queue = QUEUE


@worker_init.connect(weak=False)
def refuse_to_start_unsafely(**kwargs: object) -> None:
    """Celery only logs an ordinary exception here and continues; `SystemExit` stops the process."""
    if settings.GOLD_PRIVATE_KEY_FILE:
        raise SystemExit("This airlock worker cannot start: it must not have GOLD_PRIVATE_KEY_FILE.")
    try:
        engine = connect(settings.AIRLOCK_ENGINE or None, ulimit_shim=settings.AIRLOCK_ULIMIT_SHIM)
    except EngineUnavailable as error:
        raise SystemExit(f"This airlock worker cannot start: {error}") from error
    if engine.refusal is not None:
        raise SystemExit(f"This airlock worker cannot start: {engine.refusal}")
