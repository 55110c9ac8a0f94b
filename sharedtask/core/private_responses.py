"""Responses for one viewer are stored by no browser and no cache on the way.

In: any response but a static file, which is sent before. Out: the same, marked `private, no-store` if the
request or the response carries a session or a message for the viewer. So nothing is left behind on a shared
computer after signing out, and no proxy sends one viewer's page to another. All other responses stay as they
are, and say that they depend on cookies, as this check does.
"""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers

HEADER = "Cache-Control"
PRIVATE = "private, no-store"
MESSAGES = "messages"
"""The cookie in which Django stores messages for visitors without a session."""

GetResponse = Callable[[HttpRequest], HttpResponse]


def is_anonymous(request: HttpRequest) -> bool:
    """Nothing in this request says who sends it, so that the response can be the same for everybody."""
    return not personal_cookies().intersection(request.COOKIES)


def personal_cookies() -> frozenset[str]:
    return frozenset({settings.SESSION_COOKIE_NAME, MESSAGES})


def private_middleware(get_response: GetResponse) -> GetResponse:
    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if not is_anonymous(request) or personal_cookies().intersection(response.cookies):
            response[HEADER] = PRIVATE
        patch_vary_headers(response, ("Cookie",))
        return response

    return middleware
