"""Whether this process lives and can work, for load balancers and orchestrators; nothing about the task.

`/healthz` answers as long as the process does. `/readyz` asks the database, the broker and the store; what is
away is named, without any detail, because anybody may ask.
"""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from redis import Redis

from sharedtask.core import storage

FROM_INSIDE = frozenset({"/healthz", "/readyz", "/metrics"})

Answer = Callable[[HttpRequest], HttpResponse]


def any_host_middleware(get_response: Answer) -> Answer:
    """From inside one asks `web:8000`, an address that no reader may use; these answers hold no links."""

    def answer(request: HttpRequest) -> HttpResponse:
        if request.path in FROM_INSIDE:
            request.META["HTTP_HOST"] = settings.ALLOWED_HOSTS[0].lstrip(".")
        return get_response(request)

    return answer


@require_safe
@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    return HttpResponse("alive\n", content_type="text/plain")


@require_safe
@never_cache
def readyz(request: HttpRequest) -> JsonResponse:
    states = {name: works(check) for name, check in CHECKS.items()}
    return JsonResponse(states, status=200 if all(states.values()) else 503)


def works(check: Callable[[], object]) -> bool:
    try:
        check()
    except Exception:
        return False
    return True


def ask_database() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


def ask_broker() -> None:
    if settings.CELERY_BROKER_URL.startswith(("redis://", "rediss://")):
        with Redis.from_url(settings.CELERY_BROKER_URL, socket_timeout=3, socket_connect_timeout=3) as redis:
            redis.ping()


def ask_store() -> None:
    """A small file there and back: a full disk or a lost right shows in no cheaper way."""
    name = "inputs/readiness"
    storage.store(name, [b"ready"])
    if storage.read(name) != b"ready":
        raise OSError("the store gave back something else")


CHECKS = {"database": ask_database, "broker": ask_broker, "storage": ask_store}
