"""The Celery application of the airlock: ``celery -A workers.airlock worker``.

Its workers have a container engine, whose socket makes them root on their host. So they take messages from a
queue of their own and nothing else, and must not have the key to gold.
"""

import os
from typing import Any

from celery import Celery
from celery.signals import worker_init, worker_ready
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from airlock.engine import TEAMS, AirlockError, EngineUnavailable, connect

if not os.environ.get("DJANGO_SETTINGS_MODULE"):
    raise ImproperlyConfigured("Set DJANGO_SETTINGS_MODULE, for example to sharedtask.settings.production.")

QUEUE = "airlock"
app = Celery("airlock", include=["workers.airlock_tasks"])
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.task_queues = [queue for queue in settings.CELERY_TASK_QUEUES if queue.name == QUEUE]
app.conf.task_default_queue = QUEUE
# The account of these workers in the broker may use keys that begin like this, and no channels.
app.conf.broker_transport_options = settings.CELERY_BROKER_TRANSPORT_OPTIONS | {
    "unacked_key": f"{QUEUE}.unacked",
    "unacked_index_key": f"{QUEUE}.unacked_index",
    "unacked_mutex_key": f"{QUEUE}.unacked_mutex",
}
app.conf.worker_enable_remote_control = False


@worker_init.connect(weak=False)
def send_no_events(sender: Any, **kwargs: object) -> None:
    """The account may not publish them; those that are refused would be kept in memory for ever."""
    sender.options |= {"without_heartbeat": True, "without_gossip": True, "without_mingle": True}


@worker_init.connect(weak=False)
def refuse_to_start_unsafely(**kwargs: object) -> None:
    """Celery only logs an ordinary exception here and continues; `SystemExit` stops the process."""
    if settings.GOLD_PRIVATE_KEY_FILE:
        raise SystemExit("This airlock worker cannot start: it must not have GOLD_PRIVATE_KEY_FILE.")
    if settings.SCORER_ENGINE:
        raise SystemExit("This airlock worker cannot start: it must not have SCORER_ENGINE, which sees gold.")
    try:
        engine = connect(settings.AIRLOCK_ENGINE or None, ulimit_shim=settings.AIRLOCK_ULIMIT_SHIM)
        if engine.refusal is not None:
            raise EngineUnavailable(engine.refusal)
        engine.claim(TEAMS)
    except AirlockError as error:
        raise SystemExit(f"This airlock worker cannot start: {error}") from error


@worker_ready.connect(weak=False)
def remove_what_was_left(**kwargs: object) -> None:
    """Containers of executions that have ended while no worker was here, for example stopped ones."""
    # Django is not ready when this module is imported.
    from sharedtask.software.execute import connect_engine, remove_orphans

    remove_orphans(connect_engine())
