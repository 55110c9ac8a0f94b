"""The decorator for views of result pages: visitors get a cached response while nothing they see has changed.

In: a view whose first argument is the task's slug. Out: the same view. For signed-in viewers it does what it
did before. A visitor's page depends on the database, the clock and the request line alone, so it is rendered
once per `Period`; a browser that has it already gets 304.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import wraps
from http import HTTPStatus
from typing import Concatenate, ParamSpec

from django.http import HttpRequest
from django.http.response import HttpResponse, HttpResponseBase

from sharedtask.core.cache import LRUCache
from sharedtask.core.private_responses import is_anonymous
from sharedtask.standings.page_cache.cached_response import CachedResponse
from sharedtask.standings.page_cache.period import Period, current_period

P = ParamSpec("P")

MAX_BYTES = 32 * 1024 * 1024
RESPONSES: LRUCache[Hashable, CachedResponse] = LRUCache(MAX_BYTES, size_of=len)


def cached_for_visitors(
    view: Callable[Concatenate[HttpRequest, str, P], HttpResponse],
) -> Callable[Concatenate[HttpRequest, str, P], HttpResponseBase]:
    @wraps(view)
    def cached_view(request: HttpRequest, slug: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if not is_anonymous(request):
            return view(request, slug, *args, **kwargs)
        period = current_period(slug)
        key = cache_key(request, period) if period else None
        cached = RESPONSES.get(key) if key else None
        if cached is None:
            response = view(request, slug, *args, **kwargs)
            if response.status_code != HTTPStatus.OK:
                # Redirects to a canonical address are cheap to make.
                return response
            cached = CachedResponse.from_response(response)
            if key:
                RESPONSES.put(key, cached)
        return cached.build_response(request)

    return cached_view


def cache_key(request: HttpRequest, period: Period) -> Hashable:
    """htmx requests part of a page under the same address; a boosted request also sets the address bar."""
    htmx = "HX-Request" in request.headers, "HX-Boosted" in request.headers
    return request.get_full_path(), htmx, period
