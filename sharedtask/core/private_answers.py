"""What is made for one reader is kept by no browser and no cache between.

In: any response but a static file, which is sent before. Out: the same, marked `private, no-store` if the
request or the answer carries a session or a message for its reader: whoever signs out on a shared computer
leaves nothing behind, and no proxy hands one reader's page to another. Answers to all other requests stay as
they are, and say that they depend on cookies, as this does.
"""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers

HEADER = "Cache-Control"
PRIVATE = "private, no-store"
MESSAGES = "messages"
"""The cookie in which Django keeps messages for somebody without a session."""

Answer = Callable[[HttpRequest], HttpResponse]


def is_anybody(request: HttpRequest) -> bool:
    """Nothing in this request says who asks, so that the answer can be the same for all."""
    return not personal_cookies().intersection(request.COOKIES)


def personal_cookies() -> frozenset[str]:
    return frozenset({settings.SESSION_COOKIE_NAME, MESSAGES})


def private_middleware(get_response: Answer) -> Answer:
    def answer(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if not is_anybody(request) or personal_cookies().intersection(response.cookies):
            response[HEADER] = PRIVATE
        patch_vary_headers(response, ("Cookie",))
        return response

    return answer
