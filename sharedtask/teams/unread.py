"""The number of unread notices, for the header of every page. The query runs only where it is shown."""

from __future__ import annotations

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from sharedtask.teams.models import Notice


def unread(request: HttpRequest) -> dict[str, object]:
    def count() -> int:
        return Notice.objects.filter(user=request.user.pk).unread().count()

    return {"unread_notices": SimpleLazyObject(count)}
