"""Idempotency-Key: a request that is sent again is carried out once and gets the same answer.

In: a request, a fingerprint of what it asks for, and a function that carries it out. Out: its response, or
the stored one. The key belongs to the token. Only successes are stored: a refused request has changed
nothing, and may be sent again with the same key when the reason is gone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.http import HttpRequest, HttpResponse

from sharedtask.api.authentication import token_of
from sharedtask.api.models import StoredAnswer
from sharedtask.core import clock, lockbox
from sharedtask.core.errors import Refusal

HEADER = "Idempotency-Key"
MAX_LENGTH = 200
PURPOSE = "stored answers"
"""Of the encryption: an answer may contain a secret, such as that of a webhook."""
LIFETIME = timedelta(days=7)
RUNNING = timedelta(minutes=5)
"""Longer than a request takes after its body has arrived. Then its process is considered dead."""


def key_of(request: HttpRequest) -> str:
    key = request.headers.get(HEADER, "").strip()
    if len(key) > MAX_LENGTH or not key.isprintable():
        raise Refusal("idempotency-key-invalid", f"{HEADER} has at most {MAX_LENGTH} printable characters.")
    return key


def fingerprint(request: HttpRequest, *parts: str) -> str:
    """`parts` stand for the body."""
    text = "\n".join([request.method or "", request.get_full_path(), *parts])
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def carry_out_once(
    request: HttpRequest, print_of_request: str, function: Callable[[StoredAnswer | None], HttpResponse]
) -> HttpResponse:
    """The function gets the row of the key, or None for a request without one."""
    key = key_of(request)
    if not key:
        return function(None)
    row = claim(request, key, print_of_request, at=clock.database_now())
    if row.status is not None:
        return replay(row)
    with released_on_failure(row):
        response = function(row)
    if is_stored(response):
        StoredAnswer.objects.filter(pk=row.pk).update(
            status=response.status_code,
            body=lockbox.lock(response.content.decode(), purpose=PURPOSE),
            location=response.headers.get("Location", ""),
        )
    else:
        row.delete()
    return response


def is_stored(response: HttpResponse) -> bool:
    """An answer with a secret that the site itself must not keep says `no-store`; nor are files stored."""
    has_secret = "no-store" in response.headers.get("Cache-Control", "")
    return 200 <= response.status_code < 300 and not response.streaming and not has_secret


@contextmanager
def released_on_failure(row: StoredAnswer) -> Iterator[None]:
    try:
        yield
    except BaseException:
        StoredAnswer.objects.filter(pk=row.pk, status=None).delete()
        raise


def claim(request: HttpRequest, key: str, print_of_request: str, *, at: datetime) -> StoredAnswer:
    values = {"fingerprint": print_of_request, "created_at": at, "running_until": at + RUNNING}
    try:
        with transaction.atomic():
            return StoredAnswer.objects.create(token=token_of(request), key=key, **values)
    except IntegrityError:
        row = StoredAnswer.objects.get(token=token_of(request), key=key)
    if row.fingerprint != print_of_request:
        raise Refusal("idempotency-key-reused", f"This {HEADER} was used for another request.")
    if row.status is None:
        # A process that died may have finished half of its work; the row keeps the id of its run.
        expired = Q(status=None, running_until__lte=at)
        if not StoredAnswer.objects.filter(expired, pk=row.pk).update(running_until=at + RUNNING):
            raise Refusal("request-in-progress", f"A request with this {HEADER} is being carried out.")
    return row


def replay(row: StoredAnswer) -> HttpResponse:
    assert row.status is not None
    body = lockbox.unlock(row.body, purpose=PURPOSE)
    response = HttpResponse(body, status=row.status, content_type="application/json; charset=utf-8")
    if row.location:
        response["Location"] = row.location
    response["Idempotent-Replayed"] = "true"
    return response


def remove_expired(*, at: datetime) -> int:
    removed, _ = StoredAnswer.objects.filter(created_at__lt=at - LIFETIME).delete()
    return removed
