"""The public address of the site, for links in e-mails and files.

In: a path of the site. Out: the complete address. It comes from the settings alone: the Host header of a
request can be forged, and the request may cause an e-mail to somebody else.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from django.conf import settings


def absolute(path: str) -> str:
    return settings.SITE_URL.rstrip("/") + path


def on_this_site(url: str) -> str:
    """The same path on this site, for any host in the address."""
    parts = urlsplit(url)
    return absolute(parts._replace(scheme="", netloc="").geturl())


def host() -> str:
    return urlsplit(settings.SITE_URL).netloc
