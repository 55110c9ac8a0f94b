"""How many notices a reader has not read yet, for the top line of every page; asked only where shown."""

from __future__ import annotations

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from sharedtask.teams.models import Notice


def unread(request: HttpRequest) -> dict[str, object]:
    def count() -> int:
        return Notice.objects.filter(user=request.user.pk).unread().count()

    return {"unread_notices": SimpleLazyObject(count)}
