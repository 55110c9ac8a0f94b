"""Documents of the source code as pages of the site, such as `docs/metrics.md` and `docs/tasks.md`.

In: the name of a document. Out: HTML, rendered once per process. Headings have the ids that the links in the
document use. In the source code, a link leads to another file; on the site, to its page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from django.conf import settings
from django.urls import reverse
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify
from markdown_it import MarkdownIt
from markdown_it.token import Token

from evaluation.version import VERSION
from sharedtask.core.site_address import absolute

OWN_PAGES = {"metrics": "definitions", "tasks": "task-folders", "software": "software-guide"}
"""Documents whose pages have more than the text, by the names of their URLs."""
LINK_TO_DOCUMENT = re.compile(r"([a-z][a-z0-9-]*)\.md(#.*)?")


OPTION = re.compile(r"\[?--?[a-z][a-z-]*")
"""In a command; it is not broken at its hyphens."""


@dataclass(frozen=True, kw_only=True)
class Section:
    id: str
    title: str


def document(name: str) -> SafeString:
    return rendered(name)[0]


def sections(name: str) -> tuple[Section, ...]:
    """For a list of contents: the headings below the title."""
    return rendered(name)[1]


@cache
def rendered(name: str) -> tuple[SafeString, tuple[Section, ...]]:
    text = (settings.BASE_DIR / "docs" / name).read_text(encoding="utf-8")
    # In the source code, these words stand for any site.
    text = text.replace("https://SITE", absolute("")).replace("arboretum-VERSION-", f"arboretum-{VERSION}-")
    markdown = MarkdownIt("commonmark").enable("table")
    markdown.add_render_rule("code_inline", render_code)
    tokens = markdown.parse(text)
    headings = []
    for opening, inside in pairwise(tokens):
        if opening.type == "heading_open":
            opening.attrSet("id", slugify(inside.content))
            if opening.tag == "h2":
                headings.append(Section(id=slugify(inside.content), title=plain_text(inside)))
        elif opening.type in ("table_open", "fence"):
            # They scroll sideways on a phone; this makes it possible with the keyboard.
            opening.attrSet("tabindex", "0")
    for link in links_in(tokens):
        link.attrSet("href", address_of_link(str(link.attrGet("href"))))
    # The document is part of this repository and not written by users.
    return mark_safe(markdown.renderer.render(tokens, markdown.options, {})), tuple(headings)


def render_code(renderer: object, tokens: Sequence[Token], index: int, options: object, env: object) -> str:
    words = [escape(word) for word in tokens[index].content.split(" ")]
    whole = [f'<span class="option">{word}</span>' if OPTION.match(word) else word for word in words]
    return f"<code>{' '.join(whole)}</code>"


def plain_text(heading: Token) -> str:
    return "".join(part.content for part in heading.children or [])


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
