"""A real worker on PostgreSQL, fed by a real Redis that forgets everything once."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping

import psycopg
import pytest
from redis import Redis

from tests.machinery.site import Running, manage

pytestmark = pytest.mark.slow
PATIENCE_SECONDS = 60


def states(environment: Mapping[str, str], table: str) -> dict[str, int]:
    with psycopg.connect(environment["DATABASE_URL"]) as connection:
        rows = connection.execute(f"SELECT state, count(*) FROM {table} GROUP BY state").fetchall()
    return dict(rows)


def test_runs_survive_a_broker_that_was_emptied(
    on_postgres: Mapping[str, str], worker: Callable[..., Running]
) -> None:
    with Redis.from_url(on_postgres["REDIS_URL"]) as broker:
        # Tests before this one may have left messages that nobody took.
        broker.flushdb()
    manage("load_demo", environment=on_postgres)
    with Redis.from_url(on_postgres["REDIS_URL"]) as broker:
        sent = [json.loads(message)["headers"]["task"] for message in broker.lrange("score", 0, -1)]
        assert sent.count("workers.check_run") == 5
        broker.flushall()
    assert states(on_postgres, "submissions_run") == {"received": 5}
    running = worker(on_postgres)
    result = manage("sweep", "--now", environment=on_postgres)
    assert "5 to check run" in result
    end = time.monotonic() + PATIENCE_SECONDS
    while states(on_postgres, "submissions_run") != {"scored": 5} and time.monotonic() < end:
        time.sleep(0.2)
    assert states(on_postgres, "submissions_run") == {"scored": 5}, running.log.read_text()
    assert states(on_postgres, "submissions_runfile") == {"valid": 38, "invalid": 1, "missing": 1}
    assert states(on_postgres, "submissions_score") == {"scored": 38}
