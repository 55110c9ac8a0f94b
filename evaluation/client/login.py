"""Sign in from a terminal: the site shows a page, a person confirms a code there (RFC 8628).

In: a site. Out: its token. The password is typed into a browser only, and the second factor too.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from . import configuration
from .configuration import Site
from .connection import Connection
from .errors import ClientError, NotAuthenticated, TimedOut

PENDING, SLOW_DOWN = "authorization-pending", "slow-down"
SLOWER_SECONDS = 5


def sign_in(site: Site, scopes: Sequence[str], show: Callable[[dict[str, Any]], None]) -> Site:
    """`show` shows which page to open and which code to compare."""
    connection = Connection(replace(site, token=""))
    authorization = connection.json(
        "POST", "/device-authorizations", {"client_name": client_name(), "scopes": list(scopes)}
    )
    show(authorization)
    interval = float(authorization["interval"])
    end = time.monotonic() + float(authorization["expires_in"])
    while time.monotonic() < end:
        time.sleep(interval)
        try:
            answer = connection.json(
                "POST", "/device-authorizations/token", {"device_code": authorization["device_code"]}
            )
        except ClientError as error:
            if error.id == SLOW_DOWN:
                interval += SLOWER_SECONDS
            elif error.id != PENDING:
                raise NotAuthenticated(error.id, error.message) from error
            continue
        return replace(site, token=answer["token"])
    raise TimedOut("login-timed-out", "The code was not confirmed in time. Run `arboretum login` again.")


def client_name() -> str:
    """Shown on the page of the site, so that a person recognises the request."""
    return f"arboretum on {platform.node() or 'a computer'}"


def verify(site: Site) -> dict[str, Any]:
    """Who the token belongs to; an error if the site does not take it."""
    document: dict[str, Any] = Connection(site).get("/me")
    return document


def site_to_sign_in_to(name_or_url: str, name: str) -> Site:
    known = configuration.load()
    site = replace(known.find(name_or_url), token="")
    return replace(site, name=name) if name else site
