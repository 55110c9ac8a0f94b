"""A Content-Security-Policy for every page: only our own files, no inline scripts, no inline styles.

In: any response. Out: the same with the policy, unless it has one already. So even text that was not escaped
could not run, send anything to another site, or be shown inside another site.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from django.http import HttpRequest, HttpResponse

HEADER = "Content-Security-Policy"
DIRECTIVES: Mapping[str, str] = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    # The QR code of a second factor is a data: URL in its page, because it must not have an address.
    "img-src": "'self' data:",
    "font-src": "'self'",
    "connect-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}
POLICY = "; ".join(f"{name} {sources}" for name, sources in DIRECTIVES.items())

GetResponse = Callable[[HttpRequest], HttpResponse]


def policy_middleware(get_response: GetResponse) -> GetResponse:
    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        response.headers.setdefault(HEADER, POLICY)
        return response

    return middleware
