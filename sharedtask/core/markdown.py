"""Markdown by users of this site → safe HTML.

In: a text by any team or organiser. Out: a `SafeString`. There are two defences: the parser accepts no HTML
and only a few kinds of addresses, and its result goes through a sanitiser that allows no scripts, styles,
images or forms. Images are excluded because the owner of an external image would learn who reads the page.
"""

from __future__ import annotations

from functools import cache

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

TAGS = {
    *("p", "br", "hr", "h3", "h4", "h5", "h6", "blockquote", "ul", "ol", "li", "pre", "code"),
    *("em", "strong", "s", "a", "table", "thead", "tbody", "tr", "th", "td"),
}
ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}}
SCHEMES = {"http", "https", "mailto"}
# Nobody needs deeper quotations and lists than this, and they cost time and memory.
MAX_NESTING = 20
MAX_LENGTH = 100_000
# A page has its own first two levels of headings; those of a text begin below.
HIGHEST_HEADING = 3


@cache
def parser() -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"html": False, "linkify": False, "maxNesting": MAX_NESTING})
    return markdown.enable(["table", "strikethrough"]).disable("image")


def to_html(text: str) -> SafeString:
    # The parser replaces NUL itself; half a surrogate pair cannot be encoded.
    text = text[:MAX_LENGTH].encode("utf-8", "replace").decode("utf-8")
    tokens = parser().parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + HIGHEST_HEADING - 1, 6)}"
    html = parser().renderer.render(tokens, parser().options, {})
    clean = nh3.clean(
        html, tags=TAGS, attributes=ATTRIBUTES, url_schemes=SCHEMES, link_rel="nofollow noopener noreferrer"
    )
    return mark_safe(clean)
