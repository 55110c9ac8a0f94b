"""A word to operators whose broker anybody in its network may read and write.

In: the address of the broker. Out: a warning where it has no password. Messages hold no more than the names
of tasks and ids, but whoever writes them chooses what workers do.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Warning

NO_PASSWORD = Warning(
    "REDIS_URL has no password: whoever reaches the broker can hand out work.",
    hint="Give Redis one (requirepass), and write it into the address: redis://:PASSWORD@host:6379/0",
    id="sharedtask.W001",
)


def broker_has_password(**kwargs: Any) -> list[CheckMessage]:
    address = urlsplit(settings.CELERY_BROKER_URL)
    if address.scheme in ("redis", "rediss") and not address.password:
        return [NO_PASSWORD]
    return []
