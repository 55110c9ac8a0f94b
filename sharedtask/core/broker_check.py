"""A warning to administrators whose broker is open to everybody in its network.

In: the address of the broker. Out: a warning if it has no password. Messages contain only names of tasks and
ids, but everybody who can write them decides what workers do.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Warning

NO_PASSWORD = Warning(
    "REDIS_URL has no password: anyone who can reach the broker can send tasks to the workers.",
    hint="Set a password in Redis (requirepass) and in the address: redis://:PASSWORD@host:6379/0",
    id="sharedtask.W001",
)


def broker_has_password(**kwargs: Any) -> list[CheckMessage]:
    address = urlsplit(settings.CELERY_BROKER_URL)
    if address.scheme in ("redis", "rediss") and not address.password:
        return [NO_PASSWORD]
    return []
