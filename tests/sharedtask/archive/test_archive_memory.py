"""Writing an archive takes the memory of a page, not of all pages."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from sharedtask.archive.site import write
from sharedtask.archive.site.addresses import Addresses
from sharedtask.archive.site.colophon import Colophon
from sharedtask.archive.site.fetch import FetchedPage

PAGES, PAGE_BYTES = 40, 1_000_000


class LongSite:
    """Each page links to the next one."""

    def get(self, address: str) -> FetchedPage:
        _, sets, rest = address.partition("/sets/x")
        number = int(rest.strip("/")) if sets else 0
        if number > PAGES:
            return FetchedPage(status=404, kind="text/html", content=iter([]))
        if not address.endswith("/"):
            return FetchedPage(status=200, kind="text/css", content=iter([b"body {}"]))
        link = f'<a href="/tasks/long/sets/x{number + 1}/">Next</a>'
        text = "ж" * (PAGE_BYTES // 2)
        html = f"<html><head></head><body>{link}<p>{text}</p><footer></footer></body></html>"
        return FetchedPage(status=200, kind="text/html", content=iter([html.encode()]))


def test_memory_does_not_grow_with_the_number_of_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = write.Archive(
        slug="long",
        folder=tmp_path / "archive",
        addresses=Addresses("long", frozenset()),
        colophon=Colophon(title="Long", published="2026-01-01", signature="x"),
        client=LongSite(),
        report=lambda line: None,
    )
    tracemalloc.start()
    try:
        number = archive.write()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    pages = list((tmp_path / "archive").rglob("*.html"))
    assert number > PAGES and len(pages) > PAGES
    assert sum(page.stat().st_size for page in pages) > PAGES * PAGE_BYTES
    # A page and its rewritten form, as text and as bytes, and what the parser holds of it.
    assert peak < 20 * PAGE_BYTES
    files = [file for file in (tmp_path / "archive").rglob("*") if file.is_file()]
    assert len(files) == number, "no temporary file is left"
