"""The address under which people reach the site, for every link that leaves the page it stands on.

In: a path of the site. Out: the whole address. It comes from the settings alone: the Host header of a request
is the word of whoever sends it, who may have asked for a mail to somebody else.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from django.conf import settings


def absolute(path: str) -> str:
    return settings.SITE_URL.rstrip("/") + path


def at_home(url: str) -> str:
    """The same page of our own site, whatever host the address names."""
    parts = urlsplit(url)
    return absolute(parts._replace(scheme="", netloc="").geturl())


def host() -> str:
    return urlsplit(settings.SITE_URL).netloc
