"""Answers about results, cached for visitors exactly as the pages are that show the same."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponse, HttpResponseBase

from sharedtask.standings.page_cache.decorator import cached_for_visitors

View = Callable[..., HttpResponse]


def cached_view(view: View) -> Callable[..., HttpResponseBase]:
    """The owner of a token gets an answer of their own."""

    @wraps(view)
    def wrapped(request: HttpRequest, task: str, **arguments: Any) -> HttpResponseBase:
        if request.method != "GET" or "Authorization" in request.headers:
            return view(request, task=task, **arguments)
        return cached_for_visitors(lambda request, slug: view(request, task=slug, **arguments))(request, task)

    return wrapped
