"""Requests to a site: JSON in, JSON out, errors of the site as exceptions with its own ids.

Reading requests, and writing ones with an Idempotency-Key, are repeated while the site restarts. A token is
sent to its own site only, and never without encryption except to this machine.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlencode, urljoin, urlsplit

from ..version import VERSION
from .configuration import Site
from .errors import ClientError, NotAuthenticated, SiteUnavailable, of_problem
from .transport import NETWORK_ERRORS, Body, Response, Transport

API = "/api/v1"


class Connection:
    def __init__(self, site: Site) -> None:
        self.site = site
        self._transport = Transport()

    def get(self, path: str, **query: Any) -> Any:
        parameters = {name: value for name, value in query.items() if value not in ("", None)}
        return self.json("GET", path + (f"?{urlencode(parameters)}" if parameters else ""))

    def json(self, method: str, path: str, document: Any = None, *, key: str = "") -> Any:
        """A request of the API. Without a key, a writing request is sent once."""
        headers = {"Accept": "application/json"}
        if key:
            headers["Idempotency-Key"] = key
        body = None
        if document is not None:
            headers["Content-Type"] = "application/json"
            body = json.dumps(document).encode()
        repeat = method == "GET" or bool(key)
        response = self.request(method, API + path, headers=headers, body=body, repeat=repeat)
        return response.json() if response.data else None

    def items(self, path: str, **query: Any) -> list[dict[str, Any]]:
        """All pages of a list."""
        items: list[dict[str, Any]] = []
        cursor = ""
        while True:
            page = self.get(path, cursor=cursor, **query)
            items += page["items"]
            cursor = page["next"] or ""
            if not cursor:
                return items

    def request(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: Body = None,
        repeat: bool = False,
        stream: bool = False,
    ) -> Response:
        """Any request to the site; raises `ClientError` for every response that is not a success."""
        url = urljoin(self.site.url + "/", path)
        try:
            response = self._transport.send(
                method,
                url,
                headers={**self.headers(url), **(headers or {})},
                body=body,
                repeat=repeat,
                stream=stream,
            )
        except NETWORK_ERRORS as error:
            raise unreachable(self.site, error) from error
        if response.status >= 300:
            raise error_of(response, self.site)
        return response

    def headers(self, url: str) -> dict[str, str]:
        headers = {"User-Agent": f"arboretum/{VERSION}"}
        if self.site.token and is_same_site(url, self.site.url):
            refuse_plain_text(url)
            headers["Authorization"] = f"Bearer {self.site.token}"
        return headers


def is_same_site(url: str, site: str) -> bool:
    here, there = urlsplit(url), urlsplit(site)
    return (here.scheme, here.netloc) == (there.scheme, there.netloc)


def refuse_plain_text(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme == "https" or is_this_machine(parts.hostname or ""):
        return
    raise NotAuthenticated(
        "token-unencrypted", f"The token is not sent to {url} without encryption. Use an https:// address."
    )


def is_this_machine(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def unreachable(site: Site, error: Exception) -> SiteUnavailable:
    reason = getattr(error, "reason", error)
    text = getattr(reason, "strerror", "") or str(reason) or type(reason).__name__
    return SiteUnavailable(
        "site-unreachable", f"{site.url} cannot be reached: {text}. Nothing is lost; try again later."
    )


def error_of(response: Response, site: Site) -> ClientError:
    try:
        problem = json.loads(response.data)
        id, detail = str(problem["id"]), str(problem["detail"])
    except (ValueError, KeyError, TypeError, *NETWORK_ERRORS):
        id, detail = f"status-{response.status}", f"{site.url} answered with status {response.status}."
    return of_problem(response.status, id, detail)
