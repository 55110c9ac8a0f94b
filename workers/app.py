"""The Celery application: ``celery -A workers.app worker``. The settings (CELERY_*) configure it."""

import os

from celery import Celery
from celery.signals import worker_init
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from sharedtask.core import sealing

if not os.environ.get("DJANGO_SETTINGS_MODULE"):
    raise ImproperlyConfigured("Set DJANGO_SETTINGS_MODULE, for example to sharedtask.settings.production.")

app = Celery("workers", include=["workers.tasks"])
app.config_from_object("django.conf:settings", namespace="CELERY")
# Software of teams is run by other workers, which do not have the key; see workers/airlock.py. Scorers of
# organisers need an engine, which some workers have.
NOT_HERE = {"airlock"} if settings.SCORER_ENGINE else {"airlock", "scorer"}
app.conf.task_queues = [queue for queue in settings.CELERY_TASK_QUEUES if queue.name not in NOT_HERE]


@worker_init.connect(weak=False)
def refuse_to_start_without_key(**kwargs: object) -> None:
    """A worker that cannot decrypt gold would claim every file and fail it. Celery's beat needs no key.

    Celery only logs an ordinary exception here and continues; `SystemExit` stops the process.
    """
    try:
        sealing.check_pair()
    except (sealing.NoPrivateKey, sealing.NoPublicKey) as error:
        raise SystemExit(f"This worker cannot start: {error}") from error
