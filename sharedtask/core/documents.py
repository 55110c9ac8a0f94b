"""Documents of the source code as pages of the site, such as `docs/metrics.md` and `docs/tasks.md`.

In: the name of a document. Out: HTML, rendered once per process. Headings have the ids that the links in the
document use. In the source code, a link leads to another file; on the site, to its page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from django.conf import settings
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify
from markdown_it import MarkdownIt
from markdown_it.token import Token

from evaluation.version import VERSION
from sharedtask.core.site_address import absolute

OWN_PAGES = {"metrics": "definitions", "tasks": "task-folders", "software": "software-guide"}
"""Documents whose pages have more than the text, by the names of their URLs."""
LINK_TO_DOCUMENT = re.compile(r"([a-z][a-z0-9-]*)\.md(#.*)?")


@cache
def document(name: str) -> SafeString:
    text = (settings.BASE_DIR / "docs" / name).read_text(encoding="utf-8")
    # In the source code, these words stand for any site.
    text = text.replace("https://SITE", absolute("")).replace("arboretum-VERSION-", f"arboretum-{VERSION}-")
    markdown = MarkdownIt("commonmark").enable("table")
    tokens = markdown.parse(text)
    for opening, inside in pairwise(tokens):
        if opening.type == "heading_open":
            opening.attrSet("id", slugify(inside.content))
        elif opening.type in ("table_open", "fence"):
            # They scroll sideways on a phone; this makes it possible with the keyboard.
            opening.attrSet("tabindex", "0")
    for link in links_in(tokens):
        link.attrSet("href", address_of_link(str(link.attrGet("href"))))
    # The document is part of this repository and not written by users.
    return mark_safe(markdown.renderer.render(tokens, markdown.options, {}))


def links_in(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        if token.type == "link_open":
            yield token
        yield from links_in(token.children or [])


def address_of_link(link: str) -> str:
    to_document = LINK_TO_DOCUMENT.fullmatch(link)
    if to_document is None:
        return link
    return page_of(to_document[1]) + (to_document[2] or "")


def page_of(name: str) -> str:
    return reverse(OWN_PAGES[name]) if name in OWN_PAGES else reverse("docs-page", args=[name])
