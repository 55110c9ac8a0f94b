"""A worker with an engine for organisers' scorers starts only if no software of teams runs on that engine.

In: Celery's signal that a worker starts, and `SCORER_ENGINE`. Out: the worker goes on, after removing
containers that a worker before it may have left, or it stops.
"""

from __future__ import annotations

import logging
from contextlib import closing

from celery.signals import worker_init
from django.conf import settings
from django.db import connection

from airlock.engine import AirlockError
from sharedtask.scorers.engine import SharedEngine, connect_engine
from sharedtask.submissions.score_by_image import scores_in_progress

log = logging.getLogger(__name__)


@worker_init.connect(weak=False)
def refuse_engine_of_teams(**kwargs: object) -> None:
    """An engine that does not answer now may do so later. `SystemExit` stops the process."""
    if not settings.SCORER_ENGINE:
        return
    try:
        with closing(connect_engine()) as engine:
            engine.clean(keep=scores_in_progress())
    except SharedEngine as error:
        raise SystemExit(f"This worker cannot start: {error}") from error
    except AirlockError as error:
        log.warning("no scorer can be run now: %s", error)
    finally:
        # This process forks, and its children must not inherit an open connection.
        connection.close()
