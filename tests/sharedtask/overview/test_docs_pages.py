"""The documentation: every file of `docs/` has a page, and no link of it leads nowhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from urllib.parse import urldefrag, urljoin

import pytest
from django.test import Client

from sharedtask.overview.docs_pages import BY_NAME
from tests.machinery.site import ROOT

pytestmark = pytest.mark.django_db


def test_every_document_is_listed() -> None:
    assert set(BY_NAME) == {path.stem for path in (ROOT / "docs").glob("*.md")}


def article(client: Client, address: str) -> str:
    response = client.get(address, follow=True)
    assert response.status_code == 200, address
    return response.content.decode()


def links_of(page: str) -> Iterator[str]:
    main = page[page.index("<main") : page.index("</main>")]
    yield from (unescape(link) for link in re.findall(r'<a [^>]*?href="([^"]+)"', main))


@pytest.mark.parametrize("name", ["", *BY_NAME])
def test_no_link_leads_nowhere(client: Client, name: str) -> None:
    here = BY_NAME[name].address if name else "/docs/"
    page = article(client, here)
    checked = 0
    for link in links_of(page):
        target, fragment = urldefrag(urljoin(here, link))
        if "://" in target or target.startswith("mailto:"):
            continue
        response = client.get(target, follow=True)
        assert response.status_code == 200, f"{here} links to {link}"
        if fragment:
            assert f'id="{fragment}"' in response.content.decode(), f"{here} links to {link}"
        checked += 1
    assert checked


def test_site_and_version_of_a_document_are_those_of_this_site(client: Client) -> None:
    page = article(client, "/docs/participants/")
    assert "https://SITE" not in page and "arboretum-VERSION" not in page
    assert "arboretum login http://testserver" in page


def test_an_unknown_document_is_not_found(client: Client) -> None:
    assert client.get("/docs/nothing/").status_code == 404
    assert client.get("/docs/..%2FREADME/").status_code == 404
