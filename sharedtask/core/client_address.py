"""The IP address of a request, by which attempts are counted and limited.

In: a request. Out: the address of the peer; or, if the peer is one of our proxies, the address that this
proxy saw. A client can write anything into X-Forwarded-For, so that only the last entry counts, which the
proxy has added or set, and only if the peer is listed in `settings.TRUSTED_PROXIES`.
"""

from __future__ import annotations

import re
from ipaddress import IPv6Address, ip_address, ip_network

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest

HEADER = "X-Forwarded-For"
WITH_PORT = re.compile(r"\[([^]]+)\](?::\d+)?|([\d.]+):\d+")
ANY_PEER = "*"


def client_address(request: HttpRequest) -> str:
    peer = request.META.get("REMOTE_ADDR", "")
    forwarded = request.headers.get(HEADER, "")
    address = forwarded.rpartition(",")[2] if forwarded and is_trusted(peer) else peer
    try:
        return plain(address)
    except ValueError:
        raise PermissionDenied(
            f"{HEADER} or the connection must give an address, found {address!r}"
        ) from None


def is_trusted(peer: str) -> bool:
    # A peer without an address is at the other end of a Unix socket, which only our proxy uses.
    if ANY_PEER in settings.TRUSTED_PROXIES or (settings.TRUSTED_PROXIES and not peer):
        return True
    try:
        address = ip_address(plain(peer))
    except ValueError:
        return False
    return any(address in ip_network(proxy) for proxy in settings.TRUSTED_PROXIES)


def plain(text: str) -> str:
    """Without the port that some proxies add, and with IPv4 addresses as such.

    On a socket that accepts both kinds, IPv4 clients have IPv6 addresses, which all belong to one network.
    """
    with_port = WITH_PORT.fullmatch(text.strip())
    address = ip_address(with_port[1] or with_port[2] if with_port else text.strip())
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(address)
