"""Where a request comes from: the connection says so, and a proxy only where it is trusted."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.test import RequestFactory

from sharedtask.core.client_address import client_address


def asked(peer: str, forwarded: str = "") -> str:
    headers = {"X-Forwarded-For": forwarded} if forwarded else {}
    return client_address(RequestFactory().get("/", headers=headers, REMOTE_ADDR=peer))


@pytest.mark.parametrize(
    ("proxies", "peer", "forwarded", "expected"),
    [
        ([], "203.0.113.5", "192.0.2.1", "203.0.113.5"),
        ([], "127.0.0.1", "192.0.2.1", "127.0.0.1"),
        (["127.0.0.1"], "127.0.0.1", "192.0.2.1", "192.0.2.1"),
        (["127.0.0.1"], "127.0.0.1", "6.6.6.6, 192.0.2.1", "192.0.2.1"),
        (["127.0.0.1"], "203.0.113.5", "192.0.2.1", "203.0.113.5"),
        (["127.0.0.1"], "127.0.0.1", "", "127.0.0.1"),
        (["127.0.0.1"], "::ffff:127.0.0.1", "192.0.2.1", "192.0.2.1"),
        (["127.0.0.1"], "", "192.0.2.1", "192.0.2.1"),
        (["10.1.0.0/16"], "10.1.2.3", "2001:db8::1", "2001:db8::1"),
        (["10.1.0.0/16"], "10.2.2.3", "2001:db8::1", "10.2.2.3"),
        (["*"], "203.0.113.5", "192.0.2.1", "192.0.2.1"),
        (["*"], "203.0.113.5", "192.0.2.1:4711", "192.0.2.1"),
        (["*"], "203.0.113.5", "[2001:db8::1]:4711", "2001:db8::1"),
        ([], "::ffff:203.0.113.5", "", "203.0.113.5"),
    ],
)
def test_only_a_trusted_proxy_is_believed(
    settings: Any, proxies: list[str], peer: str, forwarded: str, expected: str
) -> None:
    settings.TRUSTED_PROXIES = proxies
    assert asked(peer, forwarded) == expected


@pytest.mark.parametrize(("peer", "forwarded"), [("127.0.0.1", "nonsense"), ("", "")])
def test_a_request_without_an_address_is_refused(settings: Any, peer: str, forwarded: str) -> None:
    settings.TRUSTED_PROXIES = ["127.0.0.1"]
    with pytest.raises(PermissionDenied):
        asked(peer, forwarded)
