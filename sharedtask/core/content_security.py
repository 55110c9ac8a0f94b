"""What a browser may do with our pages: load our own files and nothing else, run and style nothing inline.

In: any response. Out: the same with a Content-Security-Policy, unless it brought one of its own. So even text
that got past every escape could neither run, nor send anything away, nor be shown inside another site.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from django.http import HttpRequest, HttpResponse

HEADER = "Content-Security-Policy"
DIRECTIVES: Mapping[str, str] = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    # The key of a second factor comes as a picture inside its page: it must have no address of its own.
    "img-src": "'self' data:",
    "font-src": "'self'",
    "connect-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}
POLICY = "; ".join(f"{name} {sources}" for name, sources in DIRECTIVES.items())

Answer = Callable[[HttpRequest], HttpResponse]


def policy_middleware(get_response: Answer) -> Answer:
    def answer(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        response.headers.setdefault(HEADER, POLICY)
        return response

    return answer
