"""A page of a task that visitors get from memory as long as nothing changes that they could see in it.

In: a view whose first argument is the task's slug. Out: the same view. For people who are signed in it does
what it did. For visitors, whose page depends on the database, the clock and the address alone, it is made
once in a `Period`, and the reader who has it already is told so without its being sent.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.http import HttpRequest
from django.http.response import HttpResponse, HttpResponseBase

from sharedtask.core.private_answers import is_anybody
from sharedtask.standings.page_cache.pages import kept_answer
from sharedtask.standings.page_cache.period import now_and_period

P = ParamSpec("P")


def for_visitors(
    view: Callable[Concatenate[HttpRequest, str, P], HttpResponse],
) -> Callable[Concatenate[HttpRequest, str, P], HttpResponseBase]:
    @wraps(view)
    def kept(request: HttpRequest, slug: str, *args: P.args, **named: P.kwargs) -> HttpResponseBase:
        def rendered() -> HttpResponse:
            return view(request, slug, *args, **named)

        if not is_anybody(request):
            return rendered()
        _, period = now_and_period(slug)
        key = (request.get_full_path(), period) if period else None
        return kept_answer(request, key, rendered)

    return kept
