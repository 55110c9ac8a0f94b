"""Whether this process is alive and ready, for load balancers and orchestrators.

`/healthz` answers as long as the process does. `/readyz` checks the database, the broker and the storage; it
names what is down, without any detail, because it is public.
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

INTERNAL_PATHS = frozenset({"/healthz", "/readyz", "/metrics"})

GetResponse = Callable[[HttpRequest], HttpResponse]


def any_host_middleware(get_response: GetResponse) -> GetResponse:
    """Internal requests are for `web:8000`, a host that is not allowed; these pages have no links."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if request.path in INTERNAL_PATHS:
            request.META["HTTP_HOST"] = settings.ALLOWED_HOSTS[0].lstrip(".")
        return get_response(request)

    return middleware


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


def check_database() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


def check_broker() -> None:
    if settings.CELERY_BROKER_URL.startswith(("redis://", "rediss://")):
        with Redis.from_url(settings.CELERY_BROKER_URL, socket_timeout=3, socket_connect_timeout=3) as redis:
            redis.ping()


def check_storage() -> None:
    """Write and read a small file: nothing cheaper detects a full disk or missing permissions."""
    name = "inputs/readiness"
    storage.store(name, [b"ready"])
    if storage.read(name) != b"ready":
        raise OSError("the storage returned different data")


CHECKS = {"database": check_database, "broker": check_broker, "storage": check_storage}
