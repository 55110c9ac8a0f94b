"""Call an address that a user has given, without becoming a way into our own network.

In: an https address and a body. Out: the status of the response. The host is resolved here, every address it
has is checked, and the connection goes to the checked address itself, so that the name cannot lead elsewhere
in between. Redirects are not followed; a redirect is a failure. Almost nothing of the response is read.
"""

from __future__ import annotations

import http.client
import ipaddress
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

from sharedtask.core.errors import Refusal

SCHEMES = ("https",)
TIMEOUT_SECONDS = 10.0
"""Of each step: connecting, and every single read."""
TOTAL_SECONDS = 20.0
"""Of a whole call: a receiver that sends a byte now and then holds no worker up, which also sends e-mails."""
MAX_LENGTH = 300


class NotPublic(Exception):
    """The host has an address of a private network, of this machine, or of no machine at all."""


class BadStatus(Exception):
    """The response is no success."""


def refuse_unusable(url: str) -> None:
    """What can be said without resolving the name; the address is checked at each connection."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in SCHEMES and parts.hostname and (parts.port is None or parts.port > 0)
    except ValueError:
        usable = False
    if not usable or len(url) > MAX_LENGTH or not url.isascii() or not url.isprintable() or " " in url:
        raise Refusal("webhook-address", "The address has to begin with https:// and be complete.")
    if parts.username or parts.password:
        raise Refusal("webhook-address", "The address must not contain a name or password.")
    try:
        literal = ipaddress.ip_address(parts.hostname or "")
    except ValueError:
        return
    if not is_public(str(literal)):
        raise Refusal("webhook-address", "The address must be a public one.")


def is_public(address: str) -> bool:
    """Addresses that hide another one are judged by that one."""
    ip = ipaddress.ip_address(address)
    if isinstance(ip, ipaddress.IPv6Address):
        hidden = ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)
        if hidden is not None:
            return is_public(str(hidden))
        # NAT64 leads to any IPv4 address.
        if ip in ipaddress.ip_network("64:ff9b::/96") or ip in ipaddress.ip_network("64:ff9b:1::/48"):
            return False
    return ip.is_global and not ip.is_multicast and not ip.is_reserved


def public_address(host: str, port: int) -> str:
    """One of the host's addresses, after all of them were checked."""
    entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = [str(entry[4][0]).split("%")[0] for entry in entries]
    if not addresses or not all(is_public(address) for address in addresses):
        raise NotPublic(host)
    return addresses[0]


def post(url: str, body: bytes, headers: Mapping[str, str]) -> int:
    parts = urlsplit(url)
    is_secure = parts.scheme == "https"
    host, port = parts.hostname or "", parts.port or (443 if is_secure else 80)
    connection = http.client.HTTPConnection(host, port, timeout=TIMEOUT_SECONDS)
    stream = socket.create_connection((public_address(host, port), port), timeout=TIMEOUT_SECONDS)
    try:
        if is_secure:
            # Checks the certificate against the name, not the address.
            context = ssl.create_default_context()
            stream = context.wrap_socket(stream, server_hostname=host, do_handshake_on_connect=False)
        connection.sock = stream
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        with time_limit(stream):
            if isinstance(stream, ssl.SSLSocket):
                stream.do_handshake()
            connection.request("POST", path, body, dict(headers))
            status = connection.getresponse().status
    finally:
        connection.close()
        stream.close()
    if not 200 <= status < 300:
        raise BadStatus(str(status))
    return status


@contextmanager
def time_limit(stream: socket.socket) -> Iterator[None]:
    """End the connection after this time; half a response that looks whole is then none either."""
    is_over = threading.Event()

    def end() -> None:
        is_over.set()
        with suppress(OSError):
            socket.socket.shutdown(stream, socket.SHUT_RDWR)

    timer = threading.Timer(TOTAL_SECONDS, end)
    timer.start()
    try:
        yield
    except (OSError, http.client.HTTPException):
        if not is_over.is_set():
            raise
    finally:
        timer.cancel()
    if is_over.is_set():
        raise TimeoutError(f"no response within {TOTAL_SECONDS:g} seconds")
